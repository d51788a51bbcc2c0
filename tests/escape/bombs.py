"""Taking more than one's share until the machine or the harness gives way."""

from escape.attempt import Attempt, memory_kb


def _memory_is_flat(scene) -> str:
    grown = memory_kb("VmHWM") - scene.resident_kb
    return "" if grown < 400_000 else f"the harness grew by {grown >> 10} MB"


def _nothing_runs_on(scene) -> str:
    before = scene.room.read("/workspace/beat")
    after = scene.room.execute(["sh", "-c", "sleep 0.5; cat /workspace/beat"]).stdout
    return "" if before == after else "a process outlived its command"


def _bomb(name: str, program: str, *, ends: tuple[str, ...] = ("exit",), **options) -> Attempt:
    options = {"limits": {"memory_mb": 256, "disk_mb": 32, "processes": 64}, "timeout_s": 8, **options}
    return Attempt(name, "bombs", program, ends=ends, **options)


ATTEMPTS = (
    _bomb(
        "fork-bomb",
        """# fork without end
signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    try:
        os.fork()
    except OSError:
        pass""",
        ends=("timeout", "memory"),
        timeout_s=3,
    ),
    _bomb(
        "thread-bomb",
        """# start threads until there are no more
count = 0
try:
    while count < 5000:
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        count += 1
except RuntimeError as error:
    print(error)
escaped(count) if count > 200 else print(count, 'threads', flush=True)
os._exit(0)""",
    ),
    _bomb(
        "zombie-bomb",
        """# leave children that nobody waits for
count = 0
try:
    while count < 5000:
        if os.fork() == 0:
            os._exit(0)
        count += 1
except OSError as error:
    print(error.strerror)
escaped(count) if count > 200 else print(count, 'children')""",
    ),
    _bomb(
        "memory-bomb",
        """# take memory without end
held = []
while True:
    held.append(b'x' * (1 << 22))""",
        ends=("memory",),
    ),
    _bomb(
        "memory-in-children",
        """# take memory in many small processes
for _ in range(20):
    if os.fork() == 0:
        held = b'x' * (30 << 20)
        time.sleep(60)
time.sleep(60)""",
        ends=("memory",),
    ),
    _bomb(
        "shared-memory-bomb",
        """# take memory that is mapped and shared
held = mmap.mmap(-1, 1 << 30)
for _ in range(1024):
    held.write(b'x' * (1 << 20))
time.sleep(60)""",
        ends=("memory",),
    ),
    _bomb(
        "memory-file-bomb",
        """# take memory in files that have no name and are not mapped
files = []
for _ in range(64):
    files.append(os.memfd_create('x'))
    for _ in range(16):
        os.write(files[-1], bytes(1 << 20))
time.sleep(60)""",
        ends=("memory",),
    ),
    _bomb(
        "memory-nobody-owns",
        """# take System V memory, semaphores and queues
must_fail('shmget', lambda: call((29, 194), 0, 1 << 30, 0o1600))
must_fail('semget', lambda: call((64, 190), 0, 30000, 0o1600))
must_fail('msgget', lambda: call((68, 186), 0, 0o1600))
must_fail('memfd_secret', lambda: call((447, 447), 0))
must_fail('mlock of 1 GB', lambda: call((149, 228), mmap.mmap(-1, 1 << 30) and 0, 1 << 30))""",
    ),
    _bomb(
        "disk-bomb",
        """# fill every directory that can be written
total = 0
for path in ('/workspace/x', '/tmp/x', '/dev/shm/x'):
    try:
        with open(path, 'wb', buffering=0) as file:
            for _ in range(200):
                total += file.write(bytes(1 << 20))
    except OSError as error:
        print(path, error.strerror)
escaped(total) if total > HOST['disks'] * 33 << 20 else print(total >> 20, 'MB')
for path in ('/workspace/x', '/tmp/x', '/dev/shm/x'):
    os.unlink(path)""",
    ),
    _bomb(
        "deleted-file-bomb",
        """# fill the disk with files that have no name any more
files, total = [], 0
try:
    for number in range(200):
        files.append(open(f'/workspace/{number}', 'wb', buffering=0))
        os.unlink(f'/workspace/{number}')
        total += files[-1].write(bytes(1 << 20))
except OSError as error:
    print(error.strerror)
escaped(total) if total > HOST['disks'] * 33 << 20 else print(total >> 20, 'MB')""",
    ),
    _bomb(
        "inode-bomb",
        """# make empty files and directories without end
count = 0
for folder in ('/workspace', '/tmp', '/dev/shm'):
    try:
        for number in range(20000):
            os.close(os.open(f'{folder}/n{number}', os.O_CREAT))
            count += 1
    except OSError as error:
        print(folder, error.strerror)
escaped(count) if count > HOST['disks'] * 10000 else print(count, 'files')
subprocess.run('rm -rf /workspace/n* /tmp/n* /dev/shm/n*', shell=True)""",
        timeout_s=20,
    ),
    _bomb(
        "sparse-file",
        """# make a file that claims to be larger than the disk, and map it
with open('/workspace/sparse', 'wb') as file:
    try:
        file.truncate(1 << 50)
    except OSError as error:
        print(error.strerror)
print(os.stat('/workspace/sparse').st_blocks, 'blocks')
os.unlink('/workspace/sparse')""",
    ),
    _bomb(
        "deep-folders",
        """# make folders within folders, deeper than any path can say
try:
    for depth in range(5000):
        os.mkdir('d')
        os.chdir('d')
except OSError as error:
    print(error.strerror)
print(depth, 'deep')""",
    ),
    _bomb(
        "output-bomb",
        """# print ten gigabytes
block = b'y' * (1 << 20)
for _ in range(10240):
    os.write(1, block)
os.write(2, b'done')""",
        timeout_s=60,
        check=_memory_is_flat,
    ),
    _bomb(
        "error-output-bomb",
        """# print on both streams without a line end, and never stop
block = b'\\0' * 65536
while True:
    os.write(1, block)
    os.write(2, block)""",
        ends=("timeout",),
        timeout_s=3,
        check=_memory_is_flat,
    ),
    _bomb(
        "descriptor-bomb",
        """# open files in every process until there are no more
for _ in range(40):
    if os.fork() == 0:
        held = []
        try:
            while True:
                held.append(os.open('/data/sales/a.csv', 0))
        except OSError as error:
            os.write(1, b'.')
            time.sleep(1)
            os._exit(0)
for _ in range(40):
    os.wait()
print('40 processes full')""",
        timeout_s=30,
    ),
    _bomb(
        "socket-buffer-bomb",
        """# keep bytes in sockets and pipes that nobody reads
pairs, total = [], 0
try:
    while len(pairs) < 4000:
        pair = socket.socketpair()
        pair[0].setblocking(False)
        pairs.append(pair)
        try:
            while True:
                total += pair[0].send(bytes(65536))
        except BlockingIOError:
            pass
except OSError as error:
    print(error.strerror)
print(total >> 20, 'MB in', len(pairs), 'pairs')""",
        ends=("exit", "memory", "timeout"),
    ),
    _bomb(
        "watch-and-timer-bomb",
        """# take what the kernel counts for the whole user: watches, timers, requests, messages
must_fail('inotify', lambda: call((294, 26), 0))
must_fail('aio', lambda: call((206, 0), 65536, ctypes.byref(ctypes.c_ulong())))
polls = []
try:
    while True:
        polls.append(os.eventfd(0))
except OSError as error:
    print(len(polls), error.strerror)""",
    ),
    _bomb(
        "ignore-the-end",
        """# ignore every signal and run on after the time limit
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    open('/workspace/beat', 'w').write(str(time.time()))""",
        ends=("timeout",),
        timeout_s=2,
        check=_nothing_runs_on,
    ),
    _bomb(
        "daemon",
        """# fork twice, leave the session, run on after the command's end
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        for number in range(3):
            os.close(number)
        while True:
            open('/workspace/beat', 'w').write(str(time.time()))
    os._exit(0)
os.wait()
while not os.path.exists('/workspace/beat'):
    pass
print('started a daemon')""",
        check=_nothing_runs_on,
    ),
    _bomb(
        "keep-the-output-open",
        """# end, but leave a child that holds the output
if os.fork() == 0:
    os.setsid()
    time.sleep(3600)
print('left a child')""",
    ),
    _bomb(
        "stop-everybody",
        """# stop every process, so that nobody can end
if os.fork() == 0:
    os.kill(-1, signal.SIGSTOP)
os.kill(os.getpid(), signal.SIGSTOP)""",
        ends=("timeout",),
        timeout_s=2,
    ),
    _bomb(
        "busy-processors",
        """# compute on every processor in more processes than there are
for _ in range(30):
    if os.fork() == 0:
        while True:
            pass
while True:
    pass""",
        ends=("timeout",),
        timeout_s=2,
    ),
)
