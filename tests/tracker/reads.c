/* Ways to read a file that no C library, interpreter or preloaded library is asked about; built statically. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static char buffer[65536];

static int say(const char *what) { fprintf(stderr, "%s: %s\n", what, strerror(errno)); return 1; }

static int show(int fd) {
    ssize_t size = read(fd, buffer, sizeof buffer);
    return size > 0 && write(1, buffer, size) == size ? 0 : say("read");
}

static int raw_open(const char *path, int flags) { return syscall(SYS_openat, AT_FDCWD, path, flags, 0); }

static int with_openat2(const char *path) {
    struct open_how how = {.flags = O_RDONLY};
    int fd = syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how);
    return fd < 0 ? say("openat2") : show(fd);
}

static int with_directory(const char *path, int flags) {
    char *folder = strdup(path), *slash = strrchr(folder, '/');
    *slash = 0;
    int directory = raw_open(folder, flags), fd = syscall(SYS_openat, directory, slash + 1, O_RDONLY, 0);
    return fd < 0 ? say("openat") : show(fd);
}

static int with_pread(const char *path) {
    ssize_t size = pread(raw_open(path, O_RDONLY), buffer, 64, 0);
    return size > 0 && write(1, buffer, size) == size ? 0 : say("pread");
}

static int with_readv(const char *path) {
    struct iovec parts[2] = {{buffer, 1}, {buffer + 1, 64}};
    ssize_t size = preadv2(raw_open(path, O_RDONLY), parts, 2, 0, 0);
    return size > 0 && write(1, buffer, size) == size ? 0 : say("preadv2");
}

static int with_map(const char *path, int flags) {
    int fd = raw_open(path, O_RDONLY);
    struct stat found;
    if (fd < 0 || fstat(fd, &found)) return say("open");
    char *mapped = mmap(NULL, found.st_size, PROT_READ, flags, fd, 0);
    close(fd);
    return mapped != MAP_FAILED && write(1, mapped, found.st_size) > 0 ? 0 : say("mmap");
}

static int with_sendfile(const char *path) {
    int pipes[2];
    if (pipe(pipes)) return say("pipe");
    ssize_t size = sendfile(pipes[1], raw_open(path, O_RDONLY), NULL, 64);
    close(pipes[1]);
    return size > 0 ? show(pipes[0]) : say("sendfile");
}

static int with_splice(const char *path, int tee_too) {
    int first[2], second[2], end;
    if (pipe(first) || pipe(second)) return say("pipe");
    ssize_t size = splice(raw_open(path, O_RDONLY), NULL, first[1], NULL, 64, 0);
    end = first[0];
    if (size > 0 && tee_too) { size = tee(first[0], second[1], 64, 0); end = second[0]; }
    return size > 0 ? show(end) : say("splice");
}

static int with_handle_reopened(const char *path, const char *form) {
    char link[64];
    int handle = raw_open(path, O_PATH);
    snprintf(link, sizeof link, form, handle);
    int fd = raw_open(link, O_RDONLY);
    return fd < 0 ? say("reopen") : show(fd);
}

static int with_vfork(const char *path) {
    int status;
    if (vfork() == 0) { int fd = raw_open(path, O_RDONLY); _exit(fd < 0 ? 1 : show(fd)); }
    return wait(&status) < 0 || status ? 1 : 0;
}

static int with_io_uring(const char *path) {
    (void)path;
    char parameters[256] = {0};
    return syscall(425, 4, parameters) < 0 ? say("io_uring_setup") : 0;
}

static int with_file_handle(const char *path) {
    char space[sizeof(struct file_handle) + 128];
    struct file_handle *handle = (struct file_handle *)space;
    int mount, fd;
    handle->handle_bytes = 128;
    if (name_to_handle_at(AT_FDCWD, path, handle, &mount, 0)) return say("name_to_handle_at");
    fd = open_by_handle_at(raw_open("/data", O_RDONLY), handle, O_RDONLY);
    return fd < 0 ? say("open_by_handle_at") : show(fd);
}

#ifdef __x86_64__
static int with_legacy_open(const char *path) {
    int fd = syscall(SYS_open, path, O_RDONLY, 0);
    return fd < 0 ? say("open") : show(fd);
}

static int with_32_bit_call(const char *path) {
    char *low = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    long fd;
    strcpy(low, path);
    __asm__ volatile("int $0x80" : "=a"(fd) : "a"(5), "b"(low), "c"(0), "d"(0) : "memory");
    errno = -fd;
    return fd < 0 ? say("open of 32 bits") : show(fd);
}

static int with_x32_call(const char *path) {
    int fd = syscall(0x40000000 + SYS_open, path, O_RDONLY, 0);
    return fd < 0 ? say("open of x32") : show(fd);
}
#endif

static volatile char racing[4096];
static volatile int turn, spins;

/* Turns "/dat_/..." into "/data/..." while the other thread's open is looked at. */
static void *rewrite(void *unused) {
    for (int seen = 0;;) {
        while (turn == seen) {}
        seen = turn;
        for (volatile int spin = 0; spin < spins; spin++) {}
        racing[4] = 'a';
    }
    return unused;
}

static int with_race(const char *folder) {
    pthread_t thread;
    pthread_create(&thread, NULL, rewrite, NULL);
    for (int file = 0; file < 250; file++) {
        snprintf((char *)racing, sizeof racing, "%s/f%d.csv", folder, file);
        racing[4] = '_';
        spins = file * 400;
        turn++;
        int fd = syscall(SYS_openat, AT_FDCWD, racing, O_RDONLY, 0);
        if (fd >= 0 && read(fd, buffer, 1) == 1) printf("%d\n", file);
        if (fd >= 0) close(fd);
        while (racing[4] != 'a') {}
    }
    return fflush(stdout);
}

int main(int count, char **words) {
    if (count < 3) return 2;
    const char *way = words[1], *path = words[2];
#define WAY(name, call) if (!strcmp(way, name)) return call
    WAY("openat", show(raw_open(path, O_RDONLY)));
    WAY("openat2", with_openat2(path));
    WAY("dirfd", with_directory(path, O_RDONLY));
    WAY("dirfd-handle", with_directory(path, O_PATH));
    WAY("pread", with_pread(path));
    WAY("preadv2", with_readv(path));
    WAY("mmap", with_map(path, MAP_PRIVATE));
    WAY("mmap-populate", with_map(path, MAP_SHARED | MAP_POPULATE));
    WAY("sendfile", with_sendfile(path));
    WAY("splice", with_splice(path, 0));
    WAY("tee", with_splice(path, 1));
    WAY("reopen-proc", with_handle_reopened(path, "/proc/self/fd/%d"));
    WAY("reopen-thread", with_handle_reopened(path, "/proc/thread-self/fd/%d"));
    WAY("reopen-dev", with_handle_reopened(path, "/dev/fd/%d"));
    WAY("race", with_race(path));
    WAY("vfork", with_vfork(path));
    WAY("io_uring", with_io_uring(path));
    WAY("file-handle", with_file_handle(path));
#ifdef __x86_64__
    WAY("open", with_legacy_open(path));
    WAY("int80", with_32_bit_call(path));
    WAY("x32", with_x32_call(path));
#endif
    fprintf(stderr, "unknown way\n");
    return 2;
}
