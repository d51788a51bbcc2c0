"""Changing what must not be changed: data, programs, processes, privileges, the kernel's settings."""

from escape.attempt import Attempt


def _reader_is_itself(scene) -> str:
    scene.room.write("/workspace/result.txt", b"true answer")
    read = scene.room.read("/workspace/result.txt")
    return "" if read == b"true answer" else f"the harness read {read!r}"


def _next_command_is_clean(scene) -> str:
    result = scene.room.execute(["sh", "-c", "echo $LD_PRELOAD; cat /proc/self/environ"])
    scene.room.execute(["sh", "-c", "rm -f /workspace/.[a-z]* /workspace/*.py /workspace/*.pth"])
    return "" if b"POISON" not in result.stdout else "a later command was poisoned"


def _clock(scene) -> str:
    import time  # noqa: PLC0415 - beside its one use

    inside = scene.room.execute(["date", "+%s"]).stdout
    return "" if abs(int(inside) - time.time()) < 100 else "the clock was set"


def _data(name: str, program: str, **options) -> Attempt:
    return Attempt(name, "data and programs", program, **options)


def _power(name: str, program: str, **options) -> Attempt:
    return Attempt(name, "processes and privileges", program, **options)


ATTEMPTS = (
    _data(
        "write-to-data",
        """# write, append, cut, remove, rename, link, and mark files of the data
path = "/data/sales/a.csv"
for mode in "wax":
    must_fail(f"open {mode}", lambda: open(path if mode != "x" else "/data/new", mode))
must_fail("truncate", lambda: os.truncate(path, 0))
must_fail("unlink", lambda: os.unlink(path))
must_fail("rename", lambda: os.rename(path, "/data/sales/c.csv"))
must_fail("replace", lambda: os.rename("/workspace", "/data/sales"))
must_fail("mkdir", lambda: os.mkdir("/data/new"))
must_fail("symlink", lambda: os.symlink("/etc/passwd", "/data/new"))
must_fail("link", lambda: os.link(path, "/data/new"))
must_fail("mkfifo", lambda: os.mkfifo("/data/new"))
must_fail("chmod", lambda: os.chmod(path, 0o777))
must_fail("chown", lambda: os.chown(path, 1000, 1000))
must_fail("utime", lambda: os.utime(path, (1, 1)))
must_fail("setxattr", lambda: os.setxattr(path, "user.x", b"1"))""",
    ),
    _data(
        "write-through-descriptors",
        """# turn a descriptor for reading into one for writing
file = os.open("/data/sales/a.csv", os.O_RDONLY)
must_fail("reopen", lambda: os.open(f"/proc/self/fd/{file}", os.O_RDWR))
must_fail("write", lambda: os.write(file, b"x"))
must_fail("map", lambda: mmap.mmap(file, 8, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE))
must_fail("fallocate", lambda: os.posix_fallocate(file, 0, 99))
must_fail("truncate", lambda: os.ftruncate(file, 0))""",
    ),
    _data(
        "links-into-data",
        """# link data into the workspace, hard and soft, and write there
must_fail("hard link", lambda: os.link("/data/sales/a.csv", "/workspace/hard.csv"))
os.path.lexists("/workspace/soft.csv") or os.symlink("/data/sales/a.csv", "/workspace/soft.csv")
must_fail("write through a link", lambda: open("/workspace/soft.csv", "w"))
must_fail("rename out", lambda: os.rename("/data/sales/a.csv", "/workspace/mine.csv"))
copy, original = os.open("/workspace/copy", os.O_CREAT | os.O_RDWR), os.open("/data/sales/a.csv", 0)
must_fail("clone", lambda: fcntl.ioctl(copy, 0x40049409, original))""",
    ),
    _data(
        "remount-data",
        """# make /data writable by remounting, in all ways there are to mount
for flags in (0x20, 0x1020, 0x20 | 0x1000 | 0x4000):
    must_fail("mount", lambda: call((165, 40), b"none", b"/data", None, flags, None))
must_fail("mount_setattr", lambda: call((442, 442), -100, b"/data", 0, struct.pack("QQQQ", 0, 1, 0, 0), 32))
must_fail("open_tree", lambda: call((428, 428), -100, b"/data", 1))
must_fail("move_mount", lambda: call((429, 429), -100, b"/workspace", -100, b"/data", 0))
must_fail("umount", lambda: call((166, 39), b"/data", 2))""",
    ),
    _data(
        "mount-anything",
        """# mount a file system, a disk, a bind, an overlay, a process directory
for kind in (b"tmpfs", b"proc", b"sysfs", b"ext4", b"overlay", b"cgroup", b"fuse"):
    must_fail(kind.decode(), lambda: call((165, 40), b"/dev/vda", b"/workspace", kind, 0, None))
must_fail("bind", lambda: call((165, 40), b"/", b"/workspace", None, 0x1000, None))
must_fail("fsopen", lambda: call((430, 430), b"tmpfs", 0))
must_fail("pivot_root", lambda: call((155, 41), b"/workspace", b"/workspace"))
must_fail("chroot", lambda: os.chroot("/workspace"))
print(subprocess.run(["mount", "-t", "tmpfs", "x", "/tmp"], capture_output=True, text=True).stderr.strip())""",
    ),
    _data(
        "overwrite-programs",
        """# replace programs and libraries that later commands will start
for path in ("/usr/bin/python3", "/usr/bin/python3.11", "/bin/sh", "/opt/analysis/bin/python3", "/etc/passwd",
             "/etc/ld.so.preload", "/etc/ld.so.cache", "/opt/analysis/lib/new.pth", "/usr/lib/os-release", "/new",
             "/etc/new", "/usr/bin/new", "/dev/null2"):
    must_fail(path, lambda: open(path, "wb"))
    must_fail(f"unlink {path}", lambda: os.unlink(path))""",
    ),
    _data(
        "poison-later-commands",
        """# leave start files, preloads and modules for the commands to come
for name in (".bashrc", ".profile", ".bash_profile", ".pam_environment", ".zshenv"):
    open(f"/workspace/{name}", "w").write("export LD_PRELOAD=POISON; echo POISON\\n")
for name in ("sitecustomize.py", "usercustomize.py", "json.py", "os.py"):
    open(f"/workspace/{name}", "w").write("print('POISON')\\n")
os.environ["LD_PRELOAD"] = "POISON"
print("left nine files")""",
        check=_next_command_is_clean,
    ),
    _data(
        "stand-in-for-the-reader",
        """# put programs named like the reader's where they might be found first
os.makedirs("/workspace/bin", exist_ok=True)
for name in ("sh", "stat", "head", "cat", "mkdir", "dirname", "[", "test"):
    for folder in ("/workspace", "/workspace/bin", "/tmp"):
        open(f"{folder}/{name}", "w").write("#!/bin/sh\\necho forged\\n")
        os.chmod(f"{folder}/{name}", 0o755)
print("left 24 programs")""",
        check=_reader_is_itself,
    ),
    _power(
        "signals",
        """# send signals to everybody, by number and by group
if os.fork() == 0:
    os.setsid()
    for process in [*range(2, 3000), HOST["harness"], HOST["holder"], HOST["canary"]]:
        if process not in (os.getpid(), os.getppid()):
            try:
                os.kill(process, signal.SIGKILL)
            except OSError:
                pass
    os._exit(0)
os.wait()
must_fail("the canary", lambda: os.kill(HOST["canary"], 9))
must_fail("the harness", lambda: os.kill(HOST["harness"], 0) if HOST["harness"] > 400 else open("/none"))
print("3,000 numbers tried")""",
    ),
    _power(
        "signal-the-first-process",
        """# stop and kill the first process inside
for number in (signal.SIGSTOP, signal.SIGKILL, signal.SIGTERM, signal.SIGHUP):
    try:
        os.kill(1, number)
    except OSError as error:
        print(error.strerror)
print('sent')""",
        ends=("exit", "timeout"),
        timeout_s=5,
    ),
    _power(
        "ptrace",
        """# take over another process by ptrace
for process in (1, os.getppid(), HOST["harness"], HOST["holder"], HOST["canary"]):
    must_fail(f"attach {process}", lambda: call((101, 117), 16, process, 0, 0))
    must_fail(f"seize {process}", lambda: call((101, 117), 0x4206, process, 0, 0))
must_fail("traceme", lambda: call((101, 117), 0, 0, 0, 0))""",
    ),
    _power(
        "write-foreign-memory",
        """# write into another process's memory, take its descriptors
one = struct.pack("PN", ctypes.addressof(ctypes.create_string_buffer(8)), 8)
for process in (1, HOST["harness"], HOST["holder"]):
    must_fail(f"process_vm_writev {process}", lambda: call((311, 271), process, one, 1, one, 1, 0))
    must_fail(f"/proc/{process}/mem", lambda: open(f"/proc/{process}/mem", "r+b"))
must_fail("pidfd of the canary", lambda: call((434, 434), HOST["canary"], 0))
me = call((434, 434), os.getpid(), 0)
must_fail("pidfd_getfd", lambda: call((438, 438), me, 0, 0))
must_fail("kcmp", lambda: call((312, 272), os.getpid(), 1, 0, 0, 0))""",
    ),
    _power(
        "set-user-id",
        """# become root by a set-user-id program, of the host and of one's own
for name in ("su", "sudo", "mount", "passwd", "newgrp", "chsh", "pkexec"):
    subprocess.run(["sh", "-c", f"command -v {name} && {name} --version </dev/null"], capture_output=True, timeout=9)
subprocess.run(["sh", "-c", "cp /usr/bin/id /tmp/id; chmod 6755 /tmp/id"])
said = subprocess.run(["/tmp/id"], capture_output=True, text=True).stdout
escaped(said) if "euid=0" in said or "uid=0" in said else print(said.strip())
for user in {0, 65534, 33} - {os.getuid()}:
    must_fail(f"setuid {user}", lambda: os.setuid(user))
    must_fail(f"setresgid {user}", lambda: os.setresgid(user, user, user))
must_fail("setgroups", lambda: os.setgroups([0]))""",
    ),
    _power(
        "capabilities",
        """# raise capabilities
header, data = struct.pack("Ii", 0x20080522, 0), struct.pack("IIIIII", *[0xffffffff] * 6)
must_fail("capset", lambda: call((126, 91), header, data))
must_fail("ambient", lambda: call((157, 167), 47, 2, 21, 0, 0))
must_fail("keep", lambda: call((157, 167), 28, 0xffff, 0, 0, 0))
open("/workspace/p", "w").close()
all_of_them = struct.pack("<IIIII", 0x2000001, 0xff, 0, 0, 0)
must_fail("xattr", lambda: os.setxattr("/workspace/p", "security.capability", all_of_them))
print([line for line in open("/proc/self/status").read().splitlines() if line.startswith(("CapEff", "NoNewPrivs"))])""",
    ),
    _power(
        "new-namespaces",
        """# make namespaces in which one is root
for name, flag in (("user", 0x10000000), ("mount", 0x20000), ("net", 0x40000000), ("pid", 0x20000000),
                   ("uts", 0x4000000), ("cgroup", 0x2000000), ("ipc", 0x8000000)):
    must_fail(f"unshare {name}", lambda: call((272, 97), flag))
    must_fail(f"clone {name}", lambda: call((56, 220), flag | 17, 0, 0, 0, 0))
must_fail("clone3", lambda: call((435, 435), struct.pack("Q", 0x10000000) + bytes(56), 64))
print(subprocess.run(["unshare", "-Ur", "id", "-u"], capture_output=True, text=True).stderr.strip())""",
    ),
    _power(
        "enter-namespaces",
        """# enter the namespaces of the first process or the host
for process in ("1", "self", HOST["holder"]):
    for kind in ("mnt", "net", "user", "pid", "cgroup"):
        try:
            file = os.open(f"/proc/{process}/ns/{kind}", os.O_RDONLY)
        except OSError as error:
            print(process, kind, error.strerror)
            continue
        must_fail(f"setns {process} {kind}", lambda: call((308, 268), file, 0))
        try:
            escaped(f"parent of {kind}") if fcntl.ioctl(file, 0xb702) >= 0 else None
        except OSError as error:
            print("parent of", kind, error.strerror)""",
    ),
    _power(
        "kernel-programs",
        """# load a program or a module into the kernel, or start another kernel
must_fail("bpf", lambda: call((321, 280), 5, bytes(128), 128))
must_fail("perf_event_open", lambda: call((298, 241), bytes(128), 0, -1, -1, 0))
must_fail("userfaultfd", lambda: call((323, 282), 1))
must_fail("/dev/userfaultfd", lambda: os.open("/dev/userfaultfd", os.O_RDWR))
must_fail("init_module", lambda: call((175, 105), b"x", 1, b""))
must_fail("finit_module", lambda: call((313, 273), 0, b"", 0))
must_fail("kexec_load", lambda: call((246, 104), 0, 0, None, 0))
must_fail("reboot", lambda: call((169, 142), 0xfee1dead, 672274793, 0x1234567, None))
must_fail("swapon", lambda: call((167, 224), b"/workspace/x", 0))
must_fail("acct", lambda: call((163, 89), b"/workspace/x"))
must_fail("quotactl", lambda: call((179, 60), 0, b"/dev/vda", 0, None))
must_fail("iopl", lambda: call((172, 9999), 3))""",
    ),
    _power(
        "kernel-settings",
        """# change settings of the kernel below /proc
for path in ("/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/kernel/modprobe",
             "/proc/sys/vm/drop_caches", "/proc/sysrq-trigger", "/proc/sys/fs/inotify/max_user_watches",
             "/proc/sys/net/ipv4/ip_forward", "/proc/sys/user/max_user_namespaces",
             "/proc/irq/default_smp_affinity", "/proc/acpi/wakeup", "/proc/1/oom_score_adj", "/proc/self/attr/current"):
    must_fail(path, lambda: os.write(os.open(path, os.O_WRONLY), b"1"))
for name, text in (("oom_score_adj", b"-1000"), ("uid_map", b"0 0 1"), ("gid_map", b"0 0 1")):
    must_fail(name, lambda: os.write(os.open(f"/proc/self/{name}", os.O_WRONLY), text))
must_fail("sethostname", lambda: call((170, 161), b"x", 1))""",
    ),
    _power(
        "control-groups",
        """# leave the control group, or have the kernel start a program at its end
print(open("/proc/self/cgroup").read().split("\\n")[0])
for path in ("/sys/fs/cgroup", "/sys/fs/cgroup/memory"):
    must_fail(path, lambda: os.listdir(path) if HOST["bare"] else os.mkdir(f"{path}/new"))
for name in ("cgroup.procs", "memory/cgroup.procs", "memory/release_agent"):
    must_fail(name, lambda: open(f"/sys/fs/cgroup/{name}", "w"))
must_fail("mount", lambda: call((165, 40), b"none", b"/workspace", b"cgroup", 0, b"memory"))
must_fail("mount v2", lambda: call((165, 40), b"none", b"/workspace", b"cgroup2", 0, None))""",
    ),
    _power(
        "core-dump",
        """# crash so that the kernel writes a file or starts the host's crash handler
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
if os.fork() == 0:
    os.chdir("/workspace")
    ctypes.string_at(0)
status = os.wait()[1]
expect(not os.WCOREDUMP(status), f"signal {os.WTERMSIG(status)}, dumped: {os.WCOREDUMP(status)}")
resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
limit = resource.getrlimit(resource.RLIMIT_CORE)
expect(limit == (1, 1), f"the limit is {limit}")
expect(not [name for name in os.listdir("/workspace") if "core" in name], "no file was left")""",
    ),
    _power(
        "terminal-input",
        """# type into the harness's terminal
for path in ("/dev/tty", "/dev/console", "/dev/tty0", "/dev/pts/0", "/dev/ptmx"):
    try:
        file = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError as error:
        print(path, error.strerror)
        continue
    for request in (0x5412, 0x541C):
        must_fail(f"{path} {request:#x}", lambda: fcntl.ioctl(file, request, b"x"))
for number in (0, 1, 2):
    print(number, "is a terminal" if os.isatty(number) else "is none")""",
    ),
    _power(
        "clock",
        """# set the clock
must_fail("clock_settime", lambda: call((227, 112), 0, struct.pack("qq", 1, 0)))
must_fail("settimeofday", lambda: call((164, 170), struct.pack("qq", 1, 0), None))
must_fail("adjtimex", lambda: call((159, 171), struct.pack("I", 0x8001) + bytes(300)))
must_fail("clock_adjtime", lambda: call((305, 266), 0, struct.pack("I", 0x8001) + bytes(300)))
must_fail("/dev/rtc", lambda: os.open("/dev/rtc0", os.O_RDONLY))
print("TZ", os.environ["TZ"], time.tzname, "LANG", os.environ["LANG"])""",
        check=_clock,
    ),
    _power(
        "more-than-a-share",
        """# take more CPUs, a higher priority, higher limits
must_fail("affinity", lambda: os.sched_setaffinity(0, range(64)))
must_fail("nice", lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
must_fail("real time", lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
must_fail("idle class", lambda: call((251, 30), 1, 0, 1 << 13))
for name in ("NOFILE", "NPROC", "DATA"):
    number = getattr(resource, f"RLIMIT_{name}")
    must_fail(name, lambda: resource.setrlimit(number, (resource.getrlimit(number)[0], resource.RLIM_INFINITY)))
print(len(os.sched_getaffinity(0)), "CPU")""",
        limits={"cpus": 1},
    ),
)
