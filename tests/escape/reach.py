"""Reading what must not be read: golds, files of the host, other attempts and what they read."""

from escape.attempt import Attempt


def _others_lock(scene) -> str:
    program = (
        "import fcntl, time\nfor _ in range(20):\n"
        "  with open('/data/sales/a.csv') as f: fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)\n  time.sleep(0.05)"
    )
    result = scene.victim.execute(["python3", "-c", program])
    return "" if result.exit_code == 0 else "another attempt could not lock a file of its own view"


def _others_read(scene) -> str:
    return "" if scene.victim.execute(["sh", "-c", "sleep 0.3; cat /data/sales/*.csv"]).exit_code == 0 else "lost"


def _reach(name: str, program: str, **options) -> Attempt:
    return Attempt(name, "reading", program, **options)


ATTEMPTS = (
    _reach(
        "golds-by-path",
        """# open the golds by their path on the host
must_fail('open', lambda: open(HOST['golds']).read())""",
    ),
    _reach(
        "golds-beside-the-data",
        """# climb out of /data to the release around it
for path in ("/data/../coda_bench.json", "/data/../../coda_bench.json", "/coda_bench.json", "/data/manifest.jsonl",
             "/data/../manifest.jsonl", "/proc/self/cwd/../../../coda_bench.json"):
    must_fail(path, lambda: open(path).read())""",
    ),
    _reach(
        "golds-by-link-in-data",
        """# follow a link in the data that leads to the golds
must_fail('open', lambda: open('/data/out.csv').read())""",
    ),
    _reach(
        "golds-by-search",
        """# search every file that is shown for a piece of the golds
token = "".join(HOST["token"]).encode()
seen = 0
for root in ("/data", "/workspace", "/tmp", "/dev/shm", "/etc", "/opt/analysis/bin", "/usr/libexec"):
    for parent, _, names in os.walk(root):
        for name in names:
            try:
                path = os.path.join(parent, name)
                if stat.S_ISREG(os.stat(path).st_mode):
                    seen += 1
                    if token in open(path, "rb").read():
                        escaped(path)
            except OSError:
                pass
print(f"{seen} files, none holds it")""",
    ),
    _reach(
        "host-passwords",
        """# read the host's accounts
must_fail("shadow", lambda: open("/etc/shadow").read())
lines = open("/etc/passwd").read().splitlines()
print("passwd:", lines[-1]) if len(lines) == 2 else escaped(lines)""",
    ),
    _reach(
        "host-directories",
        """# list the host's homes, system state and devices
for path in ("/root", "/home", "/var", "/run", "/mnt", "/srv", "/boot", "/usr/local", "/media",
             "/opt/analysis/../../root", HOST["root"]):
    try:
        found = set(os.listdir(path)) - {".containerenv"}  # which an engine leaves there empty
        escaped((path, found)) if found else print(path, "is empty")
    except OSError as error:
        print(path, error.strerror)
must_fail("/sys", lambda: os.listdir("/sys") if HOST["bare"] else open("/sys/kernel/uevent_seqnum", "r+"))""",
    ),
    _reach(
        "harness-variables",
        """# look for the harness's variables in every process that is shown
name = "".join(HOST["variable"]).encode()
for process in filter(str.isdigit, os.listdir("/proc")):
    try:
        text = open(f"/proc/{process}/environ", "rb").read()
        expect(b"hunter2" not in text and name + b"=" not in text, f"{process}: {len(text)} bytes of variables")
    except OSError as error:
        print(process, error.strerror)""",
    ),
    _reach(
        "harness-memory",
        """# read the memory of the harness, the holder and the first process inside
for process in (HOST["harness"], HOST["holder"], HOST["canary"], 1):
    must_fail(f"/proc/{process}/mem", lambda: open(f"/proc/{process}/mem", "rb"))
    buffer = ctypes.create_string_buffer(8)
    one = struct.pack("PN", ctypes.addressof(buffer), 8)
    must_fail(f"process_vm_readv {process}", lambda: call((310, 270), process, one, 1, one, 1, 0))""",
    ),
    _reach(
        "root-of-the-first-process",
        """# go through /proc/1/root and /proc/1/cwd to another root directory
for path in ("/proc/1/root", "/proc/1/cwd", "/proc/self/root/..", "/proc/thread-self/root"):
    try:
        same = os.stat(path).st_ino == os.stat("/").st_ino or path.endswith("cwd")
        names = os.listdir(path)
        print(path, "is this root") if same and "home" not in names and "root" not in names else escaped((path, names))
    except OSError as error:
        print(path, error.strerror)
must_fail("shadow", lambda: open("/proc/1/root/etc/shadow").read())""",
    ),
    _reach(
        "climb-out",
        """# chdir upwards from every directory, also from an open one
for start in ("/data", "/workspace", "/opt/analysis", "/proc/self/task"):
    os.chdir(start)
    os.chdir("/".join([".."] * 60))
    names = set(os.listdir("."))
    print(start, sorted(names)) if not names & {"root", "home", "var"} else escaped(names)""",
    ),
    _reach(
        "inherited-descriptors",
        """# use what the harness may have left open
others = []
for number in range(3, 1024):
    try:
        others.append((number, os.readlink(f"/proc/self/fd/{number}")))
        os.fstat(number)
    except OSError:
        pass
escaped(others) if others else print("nothing above 2 is open")""",
    ),
    _reach(
        "descriptors-of-others",
        """# open what other processes have open
for process in filter(str.isdigit, os.listdir("/proc")):
    if int(process) in (os.getpid(), os.getppid()):
        continue
    try:
        for name in os.listdir(f"/proc/{process}/fd"):
            path = f"/proc/{process}/fd/{name}"
            target = os.readlink(path)
            expect(not target.startswith("/") or target.startswith("/dev/"), f"{path} is {target}")
    except OSError as error:
        print(process, error.strerror)""",
    ),
    _reach(
        "file-by-handle",
        """# open a file by its number, past all directories
handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
try:
    call((303, 264), -100, b"/usr/bin", handle, ctypes.byref(mount), 0)
except OSError as error:
    print("name_to_handle_at:", error.strerror)
folder = os.open("/", os.O_RDONLY)
must_fail("open_by_handle_at", lambda: call((304, 265), folder, handle, 0))""",
    ),
    _reach(
        "paths-in-mount-tables",
        """# learn where the data and the golds lie from the mount tables
for name in ("mountinfo", "mounts", "mountstats"):
    text = open(f"/proc/self/{name}").read()
    for word in (HOST["root"], "full_community", "environments", ".cache", "/root/."):
        if word in text:
            escaped((name, word))
print("no path of the host")""",
    ),
    _reach(
        "files-of-another-attempt",
        """# find what another attempt has written
token = "".join(HOST["token"])
for path in ("/workspace/victim.txt", "/dev/shm/victim.txt", "/tmp/victim.txt"):
    must_fail(path, lambda: open(path).read())
for process in range(1, 400):
    try:
        escaped(process) if os.path.exists(f"/proc/{process}/root/workspace/victim.txt") else None
    except OSError:
        pass
print("not there")""",
    ),
    _reach(
        "reads-of-another-attempt",
        """# watch the data with inotify and fanotify while another attempt reads it
must_fail("inotify", lambda: call((294, 26), 0))
must_fail("fanotify", lambda: call((300, 262), 0, 0))
before = os.stat("/data/sales/a.csv").st_atime_ns
time.sleep(1)
expect(os.stat("/data/sales/a.csv").st_atime_ns == before, "the time of access stays")""",
        meanwhile=_others_read,
    ),
    _reach(
        "reads-from-the-page-cache",
        """# ask what of the data lies in memory
file = os.open("/data/sales/a.csv", os.O_RDONLY)
answer = ctypes.create_string_buffer(64)
must_fail("cachestat", lambda: call((451, 451), file, struct.pack("QQ", 0, 0), answer, 0))
must_fail("mincore of a foreign address", lambda: call((27, 232), 4096, 4096, answer))""",
    ),
    _reach(
        "locks-across-attempts",
        """# hold locks on data files, so that another attempt waits
files = [os.open(f"/data/sales/{name}.csv", os.O_RDONLY) for name in "ab"]
for file in files:
    fcntl.flock(file, fcntl.LOCK_EX)
time.sleep(2)
print("held for two seconds")""",
        meanwhile=_others_lock,
    ),
    _reach(
        "kernel-keys",
        """# keep and find secrets in the kernel's key rings
must_fail("add_key", lambda: call((248, 217), b"user", b"name", b"secret", 6, -4))
must_fail("request_key", lambda: call((249, 218), b"user", b"name", 0, -4))
must_fail("keyctl", lambda: call((250, 219), 0, -4, 1))
print("keys shown:", len(open("/proc/keys").read()))""",
    ),
    _reach(
        "kernel-log",
        """# read the kernel's messages
must_fail("syslog", lambda: call((103, 116), 3, ctypes.create_string_buffer(99), 99))
for path in ("/dev/kmsg", "/proc/kmsg", "/proc/kcore", "/dev/mem", "/dev/port", "/proc/1/stack"):
    must_fail(path, lambda: open(path, "rb").read(10))""",
    ),
    _reach(
        "raw-disk",
        """# reach the disk below the file system
for name in ("vda", "sda", "nvme0n1", "loop0", "fuse"):
    must_fail(name, lambda: os.open(f"/dev/{name}", os.O_RDONLY))
for place in ("/workspace/disk", "/tmp/disk", "/dev/disk"):
    must_fail(f"mknod {place}", lambda: os.mknod(place, stat.S_IFBLK | 0o666, os.makedev(254, 0)))
    must_fail(f"mknod {place}", lambda: os.mknod(place, stat.S_IFCHR | 0o666, os.makedev(1, 1)))""",
    ),
)
