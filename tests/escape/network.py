"""Reaching anything beyond the sandbox by a socket."""

from escape.attempt import Attempt


def _another_listens(scene) -> str:
    program = (
        "import select, socket\n"
        "one, two = socket.socket(socket.AF_UNIX), socket.create_server(('127.0.0.1', 4999))\n"
        "one.bind('\\0meeting'); one.listen()\n"
        "print(len(select.select([one, two], [], [], 2)[0]))"
    )
    result = scene.victim.execute(["python3", "-c", program])
    return "" if result.stdout == b"0\n" else f"another attempt was reached: {result.stdout + result.stderr!r}"


def _net(name: str, program: str, **options) -> Attempt:
    return Attempt(name, "network", program, **options)


ATTEMPTS = (
    _net(
        "internet-tcp",
        """# connect to the internet over IPv4
for host in ('1.1.1.1', '8.8.8.8', '93.184.216.34'):
    must_fail(host, lambda: socket.create_connection((host, 53), 3))""",
    ),
    _net(
        "internet-udp",
        """# send a datagram to the internet
for host in ('1.1.1.1', '255.255.255.255', '224.0.0.251'):
    must_fail(host, lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', (host, 53)))""",
    ),
    _net(
        "internet-ipv6",
        """# connect to the internet over IPv6
for host in ('2606:4700:4700::1111', 'fe80::1', 'ff02::1'):
    must_fail(host, lambda: socket.create_connection((host, 53), 3))""",
    ),
    _net(
        "host-over-loopback",
        """# connect to a listener of the host on 127.0.0.1 and ::1
for host, port in zip(('127.0.0.1', '::1'), HOST['ports']):
    must_fail(host, lambda: socket.create_connection((host, port), 3))
must_fail('0.0.0.0', lambda: socket.create_connection(('0.0.0.0', HOST['ports'][0]), 3))""",
    ),
    _net(
        "local-networks",
        """# connect to private and link-local networks
for host in ('10.0.0.1', '172.17.0.1', '192.168.0.1', '192.168.1.1', '100.64.0.1', '169.254.0.1'):
    must_fail(host, lambda: socket.create_connection((host, 80), 3))""",
    ),
    _net(
        "cloud-metadata",
        """# ask a cloud's metadata service for credentials
for host in ('169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200'):
    must_fail(host, lambda: socket.create_connection((host, 80), 3))""",
    ),
    _net(
        "name-service",
        """# look names up, by the library, over UDP and through a resolver's socket
for name in ("example.com", "metadata.google.internal", "host.docker.internal"):
    must_fail(name, lambda: socket.getaddrinfo(name, 80))
for server in ("127.0.0.53", "8.8.8.8"):
    query = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    query.settimeout(1)
    question = bytes([0, 1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 97, 0, 0, 1, 0, 1])
    must_fail(server, lambda: (query.sendto(question, (server, 53)), query.recv(99)))
for path in ("/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket", "/var/run/nscd/socket"):
    must_fail(path, lambda: socket.socket(socket.AF_UNIX).connect(path))""",
    ),
    _net(
        "unix-socket-of-the-host",
        """# connect to a socket file of the host, and to its engines
for path in (HOST['socket'], '/var/run/docker.sock', '/run/dbus/system_bus_socket', '/tmp/.X11-unix/X0'):
    must_fail(path, lambda: socket.socket(socket.AF_UNIX).connect(path))""",
    ),
    _net(
        "abstract-socket-of-the-host",
        """# connect to a socket of the host that has no file
must_fail('abstract', lambda: socket.socket(socket.AF_UNIX).connect(HOST['abstract']))
print(open('/proc/net/unix').read().count(chr(10)), 'lines in /proc/net/unix')""",
    ),
    _net(
        "vsock",
        """# talk to the hypervisor, which no network namespace covers
for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
    must_fail('socket', lambda: socket.socket(40, kind))
must_fail('/dev/vsock', lambda: os.open('/dev/vsock', os.O_RDWR))""",
    ),
    _net(
        "raw-sockets",
        """# make packets by hand
for family, kind, protocol in ((2, 3, 1), (2, 3, 255), (10, 3, 58), (17, 3, 768), (17, 2, 768), (2, 10, 768)):
    must_fail(f'{family} {kind} {protocol}', lambda: socket.socket(family, kind, protocol))""",
    ),
    _net(
        "other-families",
        """# try every other family of sockets, single and in pairs
made = []
for family in range(1, 64):
    for kind in (1, 2, 3, 5):
        if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
            for number in ((41, 198), (53, 199)):
                try:
                    call(number, family, kind, 12 if family == 16 else 0, struct.pack("ii", 0, 0))
                    made.append((family, kind))
                except OSError:
                    pass
expect(not made, f"made: {made}")""",
    ),
    _net(
        "netlink",
        """# make an interface, set a route, use other protocols of netlink
for protocol in range(1, 23):
    must_fail(f"protocol {protocol}", lambda: socket.socket(16, 3, protocol))
link = socket.socket(16, 3, 0)
message = struct.pack("=IHHIIBxHiII", 32, 16, 0x605, 1, 0, 0, 0, 0, 0, 0)
link.send(message)
error = struct.unpack_from("=i", link.recv(999), 16)[0]
print("new interface:", os.strerror(-error)) if error < 0 else escaped("an interface was made")""",
    ),
    _net(
        "interface-by-ioctl",
        """# give the loopback interface another address, make a tunnel
plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
request = struct.pack("16sHH4s8x", b"lo", 2, 0, socket.inet_aton("10.1.2.3"))
must_fail("address", lambda: fcntl.ioctl(plain, 0x8916, request))
must_fail("tunnel", lambda: os.open("/dev/net/tun", os.O_RDWR))
print("interfaces:", socket.if_nameindex())""",
    ),
    _net(
        "ring",
        """# make network calls through io_uring, out of a filter's sight
must_fail('io_uring_setup', lambda: call((425, 425), 8, ctypes.create_string_buffer(256)))
must_fail('io_uring_enter', lambda: call((426, 426), 0, 1, 0, 0, 0, 0))""",
    ),
    _net(
        "foreign-calls",
        """# make calls by another architecture's numbers, out of a filter's sight
if MACHINE == 0:
    must_fail("x32 socket", lambda: call((0x40000000 + 41, 0), 40, 1, 0))
    # mov eax, 359 (socket of i386); mov ebx, 40; mov ecx, 1; xor edx, edx; int 0x80; ret
    code = bytes.fromhex("53 b867010000 bb28000000 b901000000 31d2 cd80 5b c3")
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(code)
    answer = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))()
    print("i386 socket:", os.strerror(-answer)) if answer < 0 else escaped("an i386 call came through")
else:
    print("nothing to try on this machine")""",
    ),
    _net(
        "meet-another-attempt",
        """# connect to what another attempt listens on, by port and by name
for _ in range(15):
    for family, address in ((socket.AF_UNIX, "\\0meeting"), (socket.AF_INET, ("127.0.0.1", 4999))):
        try:
            socket.socket(family).connect(address)
            escaped(address)
        except OSError as error:
            last = error.strerror
    time.sleep(0.1)
print(last)""",
        meanwhile=_another_listens,
    ),
)
