/* Makes one system call on a file of the data directory fail, or all from one on.
 *
 * Preloaded into the process under test (LD_PRELOAD). PELORUS_FAULTS_ROOT names the directory;
 * PELORUS_FAULTS_CONTROL a file that is mapped here, so that the process and its parent can read the
 * count and switch faults off by writing to it:
 *
 *   word 0  calls counted so far: those that can fail with the error asked for
 *   word 1  the first call that fails, counted from 1; 0 for none
 *   word 2  how many fail from there on
 *   word 3  the error, one of errno.h
 *   word 4  whether a failing write writes half of its sectors first, as on a full disk
 *   word 5  calls that failed
 *   word 6  whether only the syncs of a store are calls: of a `.redb` file
 *   from byte 64: the first call that failed and its path, as text
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CALLS, FIRST, COUNT, ERROR, TORN, FAILED, STORE_SYNCS, TEXT = 64, CONTROL_BYTES = 4096 };

static _Atomic uint64_t *control;
static const char *root;
static size_t root_length;

/* What a call does decides which errors it can meet. */
enum { BY_PATH = 1, OPENS = 2, ALLOCATES = 4, MAPS = 8 };

static int can_fail_with(int error, int does) {
    switch (error) {
    case ENOSPC: return does & ALLOCATES;
    case EACCES: return does & BY_PATH;
    case EMFILE: return does & OPENS;
    case ENOMEM: return does & MAPS;
    default: return 1;
    }
}

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("PELORUS_FAULTS_CONTROL");
    root = getenv("PELORUS_FAULTS_ROOT");
    if (!path || !root) return;
    root_length = strlen(root);
    int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC, 0);
    if (fd < 0) abort();
    void *mapped = (void *)syscall(SYS_mmap, NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    syscall(SYS_close, fd);
    if (mapped == MAP_FAILED) abort();
    control = mapped;
}

static int is_inside(const char *path) {
    return strncmp(path, root, root_length) == 0 && (path[root_length] == '/' || path[root_length] == 0);
}

static int syncs_store(const char *call, const char *path) {
    const char *end = strrchr(path, '.');
    return strstr(call, "sync") && end && strcmp(end, ".redb") == 0;
}

/* Whether this call fails; errno is set then. */
static int fails(const char *call, const char *path, int does) {
    if (!can_fail_with((int)control[ERROR], does)) return 0;
    if (control[STORE_SYNCS] && !syncs_store(call, path)) return 0;
    uint64_t number = atomic_fetch_add(&control[CALLS], 1) + 1;
    uint64_t first = control[FIRST];
    if (first == 0 || number < first || number - first >= control[COUNT]) return 0;
    if (atomic_fetch_add(&control[FAILED], 1) == 0)
        snprintf((char *)control + TEXT, CONTROL_BYTES - TEXT, "%s %s", call, path + root_length);
    errno = (int)control[ERROR];
    return 1;
}

static int fd_path(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    int kept = errno;
    long length = syscall(SYS_readlinkat, AT_FDCWD, link, path, size - 1);
    errno = kept;
    path[length < 0 ? 0 : length] = 0;
    return length > 0;
}

static int fd_fails(const char *call, int fd, int does) {
    char path[1024];
    return control && fd_path(fd, path, sizeof path) && is_inside(path) && fails(call, path, does);
}

static int at_fails(const char *call, int dir, const char *name, int does) {
    char path[2048];
    if (!control || !name) return 0;
    if (name[0] == '/') return is_inside(name) && fails(call, name, does);
    if (dir == AT_FDCWD || !fd_path(dir, path, 1024)) return 0;
    if (name[0]) {
        strcat(path, "/");
        strncat(path, name, 1000);
    }
    return is_inside(path) && fails(call, path, does);
}

static int opens(int flags) {
    return BY_PATH | OPENS | (flags & O_CREAT ? ALLOCATES : 0);
}

#define MODE(flags, mode)                                                                            \
    mode_t mode = 0;                                                                                 \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                           \
        va_list arguments;                                                                           \
        va_start(arguments, flags);                                                                  \
        mode = va_arg(arguments, mode_t);                                                            \
        va_end(arguments);                                                                           \
    }

#define OPEN(name)                                                                                   \
    int name(const char *path, int flags, ...) {                                                     \
        MODE(flags, mode)                                                                            \
        return at_fails("open", AT_FDCWD, path, opens(flags)) ? -1 : REAL(name)(path, flags, mode);  \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                 \
    int name(int dir, const char *path, int flags, ...) {                                            \
        MODE(flags, mode)                                                                            \
        return at_fails("openat", dir, path, opens(flags)) ? -1                                      \
                                                           : REAL(name)(dir, path, flags, mode);     \
    }
OPENAT(openat)
OPENAT(openat64)

/* A call with a descriptor: its result type, name, parameters and arguments. */
#define OF_FD(type, name, does, parameters, arguments)                                               \
    type name parameters { return fd_fails(#name, fd, does) ? -1 : REAL(name) arguments; }

OF_FD(ssize_t, read, 0, (int fd, void *to, size_t size), (fd, to, size))
OF_FD(ssize_t, pread, 0, (int fd, void *to, size_t size, off_t at), (fd, to, size, at))
OF_FD(ssize_t, pread64, 0, (int fd, void *to, size_t size, off64_t at), (fd, to, size, at))
OF_FD(ssize_t, readv, 0, (int fd, const struct iovec *to, int count), (fd, to, count))
OF_FD(ssize_t, preadv, 0, (int fd, const struct iovec *to, int count, off_t at), (fd, to, count, at))
OF_FD(ssize_t, writev, ALLOCATES, (int fd, const struct iovec *from, int count), (fd, from, count))
OF_FD(ssize_t, pwritev, ALLOCATES, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
OF_FD(int, fsync, ALLOCATES, (int fd), (fd))
OF_FD(int, fdatasync, ALLOCATES, (int fd), (fd))
OF_FD(int, ftruncate, ALLOCATES, (int fd, off_t size), (fd, size))
OF_FD(int, ftruncate64, ALLOCATES, (int fd, off64_t size), (fd, size))
OF_FD(int, fallocate, ALLOCATES, (int fd, int mode, off_t at, off_t size), (fd, mode, at, size))
OF_FD(int, fallocate64, ALLOCATES, (int fd, int mode, off64_t at, off64_t size), (fd, mode, at, size))
OF_FD(int, fchmod, 0, (int fd, mode_t mode), (fd, mode))
OF_FD(int, flock, 0, (int fd, int operation), (fd, operation))
OF_FD(int, fstat, 0, (int fd, struct stat *to), (fd, to))
OF_FD(int, fstat64, 0, (int fd, struct stat64 *to), (fd, to))

int posix_fallocate(int fd, off_t at, off_t size) {
    return fd_fails("posix_fallocate", fd, ALLOCATES) ? errno : REAL(posix_fallocate)(fd, at, size);
}
int posix_fallocate64(int fd, off64_t at, off64_t size) {
    return fd_fails("posix_fallocate", fd, ALLOCATES) ? errno : REAL(posix_fallocate64)(fd, at, size);
}

/* A write that fails may have written its first sectors: half of them are, the rest fails. */
static ssize_t torn(const void *from, size_t size, int fd, off64_t at) {
    int error = errno;
    size_t half = size / 2 / 512 * 512;
    if (control[TORN] && half > 0) {
        if (at < 0) syscall(SYS_write, fd, from, half);
        else syscall(SYS_pwrite64, fd, from, half, at);
    }
    errno = error;
    return -1;
}
ssize_t write(int fd, const void *from, size_t size) {
    return fd_fails("write", fd, ALLOCATES) ? torn(from, size, fd, -1) : REAL(write)(fd, from, size);
}
ssize_t pwrite(int fd, const void *from, size_t size, off_t at) {
    return fd_fails("pwrite", fd, ALLOCATES) ? torn(from, size, fd, at) : REAL(pwrite)(fd, from, size, at);
}
ssize_t pwrite64(int fd, const void *from, size_t size, off64_t at) {
    return fd_fails("pwrite", fd, ALLOCATES) ? torn(from, size, fd, at) : REAL(pwrite64)(fd, from, size, at);
}

ssize_t copy_file_range(int from, off64_t *from_at, int to, off64_t *to_at, size_t size, unsigned flags) {
    if (fd_fails("copy_file_range", to, ALLOCATES)) return -1;
    return REAL(copy_file_range)(from, from_at, to, to_at, size, flags);
}

#define MAP(name, offset)                                                                            \
    void *name(void *at, size_t size, int protection, int flags, int fd, offset from) {              \
        if (fd >= 0 && !(flags & MAP_ANONYMOUS) && fd_fails("mmap", fd, MAPS)) return MAP_FAILED;    \
        return REAL(name)(at, size, protection, flags, fd, from);                                    \
    }
MAP(mmap, off_t)
MAP(mmap64, off64_t)

/* A call by path: its name, what it does, parameters and arguments. */
#define BY(name, dir, does, parameters, arguments)                                                   \
    int name parameters { return at_fails(#name, dir, path, BY_PATH | does) ? -1 : REAL(name) arguments; }

BY(creat, AT_FDCWD, OPENS | ALLOCATES, (const char *path, mode_t mode), (path, mode))
BY(creat64, AT_FDCWD, OPENS | ALLOCATES, (const char *path, mode_t mode), (path, mode))
BY(mkdir, AT_FDCWD, ALLOCATES, (const char *path, mode_t mode), (path, mode))
BY(mkdirat, dir, ALLOCATES, (int dir, const char *path, mode_t mode), (dir, path, mode))
BY(unlink, AT_FDCWD, 0, (const char *path), (path))
BY(unlinkat, dir, 0, (int dir, const char *path, int flags), (dir, path, flags))
BY(rmdir, AT_FDCWD, 0, (const char *path), (path))
BY(chmod, AT_FDCWD, 0, (const char *path, mode_t mode), (path, mode))
BY(rename, AT_FDCWD, ALLOCATES, (const char *path, const char *to), (path, to))
BY(renameat, dir, ALLOCATES, (int dir, const char *path, int to_dir, const char *to), (dir, path, to_dir, to))
BY(renameat2, dir, ALLOCATES, (int dir, const char *path, int to_dir, const char *to, unsigned flags), (dir, path, to_dir, to, flags))
BY(link, AT_FDCWD, ALLOCATES, (const char *path, const char *to), (path, to))
BY(linkat, dir, ALLOCATES, (int dir, const char *path, int to_dir, const char *to, int flags), (dir, path, to_dir, to, flags))
BY(stat, AT_FDCWD, 0, (const char *path, struct stat *to), (path, to))
BY(stat64, AT_FDCWD, 0, (const char *path, struct stat64 *to), (path, to))
BY(lstat, AT_FDCWD, 0, (const char *path, struct stat *to), (path, to))
BY(lstat64, AT_FDCWD, 0, (const char *path, struct stat64 *to), (path, to))
BY(statx, dir, 0, (int dir, const char *path, int flags, unsigned mask, struct statx *to), (dir, path, flags, mask, to))

char *realpath(const char *path, char *to) {
    return at_fails("realpath", AT_FDCWD, path, BY_PATH) ? NULL : REAL(realpath)(path, to);
}
DIR *opendir(const char *path) {
    return at_fails("opendir", AT_FDCWD, path, BY_PATH | OPENS) ? NULL : REAL(opendir)(path);
}
struct dirent *readdir(DIR *directory) {
    return fd_fails("readdir", dirfd(directory), 0) ? NULL : REAL(readdir)(directory);
}
struct dirent64 *readdir64(DIR *directory) {
    return fd_fails("readdir", dirfd(directory), 0) ? NULL : REAL(readdir64)(directory);
}

#define FCNTL(name)                                                                                  \
    int name(int fd, int command, ...) {                                                             \
        va_list arguments;                                                                           \
        va_start(arguments, command);                                                                \
        void *argument = va_arg(arguments, void *);                                                  \
        va_end(arguments);                                                                           \
        int copies = command == F_DUPFD || command == F_DUPFD_CLOEXEC;                               \
        return copies && fd_fails("dup", fd, OPENS) ? -1 : REAL(name)(fd, command, argument);        \
    }
FCNTL(fcntl)
FCNTL(fcntl64)
