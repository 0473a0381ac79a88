/* Journals every call that changes files, so that a test can tell what a power cut would leave of them.
 *
 * Preloaded into the process under test (LD_PRELOAD). PELORUS_JOURNAL_ROOT names a folder of data directories;
 * PELORUS_JOURNALS a folder with a file for each of them that is to be journaled, of the same name: records are appended
 * to it in the order in which the calls took effect. What is written to ROOT/NAME.marks is journaled as a mark of NAME.
 *
 * A record is a `struct head`, two paths and data. A sync is two records, for it vouches only for what was there when it
 * began. Stores through a shared map leave no calls: mapping a named file for that is journaled as UNSEEN.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { CREATE = 1, WRITE, LENGTH, RENAME, LINK, UNLINK, MKDIR, RMDIR, SYNC_BEGINS, SYNC_ENDS, MARK, UNSEEN };

struct head {
    uint32_t kind, first_length, second_length, data_length;
    uint64_t file; /* the inode */
    uint64_t at;   /* the offset of a write, a length, or the number of a sync */
};

static const char *root, *journals;
static size_t root_length;
/* Held around a call and its record, so that records have the order of the calls. */
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static _Atomic uint64_t syncs;

#define REAL(name) ((__typeof__(&name))real(#name))

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

__attribute__((constructor)) static void start(void) {
    root = getenv("PELORUS_JOURNAL_ROOT");
    journals = getenv("PELORUS_JOURNALS");
    if (!root || !journals) root = NULL;
    else root_length = strlen(root);
}

/* The journal of the data directory that a path lies in, open; -1 for none. */
static int journal_of(const char *path, int *is_marks) {
    char name[256], file[1024];
    if (!root || strncmp(path, root, root_length) != 0 || path[root_length] != '/') return -1;
    const char *from = path + root_length + 1;
    size_t length = strcspn(from, "/");
    if (length == 0 || length >= sizeof name) return -1;
    memcpy(name, from, length);
    name[length] = 0;
    char *suffix = strrchr(name, '.');
    *is_marks = suffix && strcmp(suffix, ".marks") == 0;
    if (*is_marks) *suffix = 0;
    snprintf(file, sizeof file, "%s/%s", journals, name);
    int kept = errno;
    int journal = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
    errno = kept;
    return journal;
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

static int journal_of_fd(int fd, int *is_marks) {
    char path[1024];
    return root && fd_path(fd, path, sizeof path) ? journal_of(path, is_marks) : -1;
}

/* The whole path that a call names; none where it is relative to no folder that is known. */
static const char *whole(int dir, const char *name, char *path, size_t size) {
    if (!root || !name) return NULL;
    if (name[0] == '/') return name;
    if (dir == AT_FDCWD || !fd_path(dir, path, size)) return NULL;
    size_t length = strlen(path);
    snprintf(path + length, size - length, "/%s", name);
    return path;
}

static uint64_t inode(int fd) {
    struct stat found;
    return fstat(fd, &found) == 0 ? found.st_ino : 0;
}

static void record(int journal, uint32_t kind, uint64_t file, uint64_t at, const char *first, const char *second,
                   const void *data, size_t size) {
    int kept = errno;
    struct head head = {kind, first ? strlen(first) : 0, second ? strlen(second) : 0, size, file, at};
    size_t length = sizeof head + head.first_length + head.second_length + size, done = 0;
    char *bytes = malloc(length), *to = bytes;
    if (!bytes) abort();
    to = mempcpy(to, &head, sizeof head);
    to = mempcpy(to, first ? first : "", head.first_length);
    to = mempcpy(to, second ? second : "", head.second_length);
    if (size) memcpy(to, data, size);
    while (done < length) {
        long wrote = syscall(SYS_write, journal, bytes + done, length - done);
        if (wrote <= 0) abort();
        done += wrote;
    }
    free(bytes);
    errno = kept;
}

static void begin(void) { pthread_mutex_lock(&turn); }

static void end(int journal) {
    int kept = errno;
    pthread_mutex_unlock(&turn);
    syscall(SYS_close, journal);
    errno = kept;
}

/* Records bytes that were written before `end`, as they are in the file. */
static void record_written(int journal, int fd, off64_t at, ssize_t count) {
    char *bytes = malloc(count);
    if (!bytes || syscall(SYS_pread64, fd, bytes, count, at) != count) abort();
    record(journal, WRITE, inode(fd), at, NULL, NULL, bytes, count);
    free(bytes);
}

static off64_t position(int fd) { return syscall(SYS_lseek, fd, (off64_t)0, SEEK_CUR); }

static int opened(int fd, int journal, const char *path, int flags) {
    if (fd >= 0 && (flags & O_CREAT)) record(journal, CREATE, inode(fd), 0, path, NULL, NULL, 0);
    if (fd >= 0 && (flags & O_TRUNC)) record(journal, LENGTH, inode(fd), 0, NULL, NULL, NULL, 0);
    return fd;
}

#define MODE(flags, mode)                                                                            \
    mode_t mode = 0;                                                                                 \
    if (flags & (O_CREAT | __O_TMPFILE)) {                                                           \
        va_list arguments;                                                                           \
        va_start(arguments, flags);                                                                  \
        mode = va_arg(arguments, mode_t);                                                            \
        va_end(arguments);                                                                           \
    }

/* Opens by REAL, and journals a file that is made or emptied. A file without a name is nothing that could be left. */
#define OPENED(dir, path, flags, call)                                                               \
    char place[2048];                                                                                \
    int is_marks, journal = -1;                                                                      \
    const char *of = whole(dir, path, place, sizeof place);                                          \
    if (of && (flags & (O_CREAT | O_TRUNC)) && (flags & __O_TMPFILE) == 0)                           \
        journal = journal_of(of, &is_marks);                                                         \
    if (journal < 0 || is_marks) return call;                                                        \
    begin();                                                                                         \
    int fd = opened(call, journal, of, flags);                                                       \
    end(journal);                                                                                    \
    return fd;

#define OPEN(name)                                                                                   \
    int name(const char *path, int flags, ...) {                                                     \
        MODE(flags, mode)                                                                            \
        OPENED(AT_FDCWD, path, flags, REAL(name)(path, flags, mode))                                 \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                                                 \
    int name(int dir, const char *path, int flags, ...) {                                            \
        MODE(flags, mode)                                                                            \
        OPENED(dir, path, flags, REAL(name)(dir, path, flags, mode))                                 \
    }
OPENAT(openat)
OPENAT(openat64)

#define CREAT(name)                                                                                  \
    int name(const char *path, mode_t mode) {                                                        \
        OPENED(AT_FDCWD, path, (O_CREAT | O_TRUNC), REAL(name)(path, mode))                          \
    }
CREAT(creat)
CREAT(creat64)

/* A call that writes `result` bytes, up to the position `after` or from `from` on. */
#define WRITES(name, parameters, arguments, from)                                                    \
    ssize_t name parameters {                                                                        \
        int is_marks, journal = journal_of_fd(fd, &is_marks);                                        \
        if (journal < 0) return REAL(name) arguments;                                                \
        begin();                                                                                     \
        ssize_t result = REAL(name) arguments;                                                       \
        if (result > 0 && !is_marks) record_written(journal, fd, from, result);                      \
        end(journal);                                                                                \
        return result;                                                                               \
    }
WRITES(writev, (int fd, const struct iovec *of, int count), (fd, of, count), position(fd) - result)
WRITES(pwritev, (int fd, const struct iovec *of, int count, off_t at), (fd, of, count, at), at)
WRITES(pwrite, (int fd, const void *of, size_t size, off_t at), (fd, of, size, at), at)
WRITES(pwrite64, (int fd, const void *of, size_t size, off64_t at), (fd, of, size, at), at)
WRITES(sendfile, (int fd, int from, off_t *at, size_t size), (fd, from, at, size), position(fd) - result)
WRITES(sendfile64, (int fd, int from, off64_t *at, size_t size), (fd, from, at, size), position(fd) - result)
WRITES(copy_file_range, (int from, off64_t *at, int fd, off64_t *to, size_t size, unsigned flags),
       (from, at, fd, to, size, flags), to ? *to - result : position(fd) - result)

ssize_t write(int fd, const void *of, size_t size) {
    int is_marks, journal = journal_of_fd(fd, &is_marks);
    if (journal < 0) return REAL(write)(fd, of, size);
    begin();
    ssize_t result = REAL(write)(fd, of, size);
    if (result > 0 && is_marks) record(journal, MARK, 0, 0, NULL, NULL, of, result);
    else if (result > 0) record(journal, WRITE, inode(fd), position(fd) - result, NULL, NULL, of, result);
    end(journal);
    return result;
}

/* A call that may change the length of a file; `succeeds` of its result. */
#define RESIZES(name, parameters, arguments, succeeds)                                               \
    int name parameters {                                                                            \
        int is_marks, journal = journal_of_fd(fd, &is_marks);                                        \
        if (journal < 0) return REAL(name) arguments;                                                \
        begin();                                                                                     \
        int result = REAL(name) arguments;                                                           \
        struct stat now;                                                                             \
        if (succeeds && fstat(fd, &now) == 0)                                                        \
            record(journal, LENGTH, now.st_ino, now.st_size, NULL, NULL, NULL, 0);                   \
        end(journal);                                                                                \
        return result;                                                                               \
    }
RESIZES(ftruncate, (int fd, off_t size), (fd, size), result == 0)
RESIZES(ftruncate64, (int fd, off64_t size), (fd, size), result == 0)
RESIZES(posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size), result == 0)
RESIZES(posix_fallocate64, (int fd, off64_t at, off64_t size), (fd, at, size), result == 0)

#define FALLOCATE(name, offset)                                                                      \
    int name(int fd, int mode, offset at, offset size) {                                             \
        int is_marks, journal = journal_of_fd(fd, &is_marks);                                        \
        if (journal < 0) return REAL(name)(fd, mode, at, size);                                      \
        begin();                                                                                     \
        int result = REAL(name)(fd, mode, at, size);                                                 \
        struct stat now;                                                                             \
        if (mode & ~FALLOC_FL_KEEP_SIZE) record(journal, UNSEEN, 0, 0, #name, NULL, NULL, 0);        \
        else if (result == 0 && fstat(fd, &now) == 0)                                                \
            record(journal, LENGTH, now.st_ino, now.st_size, NULL, NULL, NULL, 0);                   \
        end(journal);                                                                                \
        return result;                                                                               \
    }
FALLOCATE(fallocate, off_t)
FALLOCATE(fallocate64, off64_t)

/* Two records, and the turn of others in between: what is written meanwhile is not vouched for. */
#define SYNCS(name)                                                                                  \
    int name(int fd) {                                                                               \
        int is_marks, journal = journal_of_fd(fd, &is_marks);                                        \
        if (journal < 0) return REAL(name)(fd);                                                      \
        uint64_t number = atomic_fetch_add(&syncs, 1);                                               \
        begin();                                                                                     \
        record(journal, SYNC_BEGINS, inode(fd), number, NULL, NULL, NULL, 0);                        \
        pthread_mutex_unlock(&turn);                                                                 \
        int result = REAL(name)(fd);                                                                 \
        begin();                                                                                     \
        if (result == 0) record(journal, SYNC_ENDS, inode(fd), number, NULL, NULL, NULL, 0);         \
        end(journal);                                                                                \
        return result;                                                                               \
    }
SYNCS(fsync)
SYNCS(fdatasync)

/* A call by path that gives 0 where it changed a name. */
#define NAMES(name, parameters, arguments, kind, dir, path, to_dir, to)                              \
    int name parameters {                                                                            \
        char place[2048], to_place[2048];                                                            \
        int is_marks, journal = -1;                                                                  \
        const char *of = whole(dir, path, place, sizeof place);                                      \
        const char *onto = whole(to_dir, to, to_place, sizeof to_place);                             \
        if (of) journal = journal_of(of, &is_marks);                                                 \
        if (journal < 0 || is_marks) return REAL(name) arguments;                                    \
        begin();                                                                                     \
        int result = REAL(name) arguments;                                                           \
        struct stat made = {0};                                                                      \
        if (result == 0 && kind == MKDIR) stat(of, &made);                                           \
        if (result == 0) record(journal, kind, made.st_ino, 0, of, onto, NULL, 0);                   \
        end(journal);                                                                                \
        return result;                                                                               \
    }
NAMES(mkdir, (const char *path, mode_t mode), (path, mode), MKDIR, AT_FDCWD, path, 0, NULL)
NAMES(mkdirat, (int dir, const char *path, mode_t mode), (dir, path, mode), MKDIR, dir, path, 0, NULL)
NAMES(unlink, (const char *path), (path), UNLINK, AT_FDCWD, path, 0, NULL)
NAMES(rmdir, (const char *path), (path), RMDIR, AT_FDCWD, path, 0, NULL)
NAMES(unlinkat, (int dir, const char *path, int flags), (dir, path, flags), (flags & AT_REMOVEDIR ? RMDIR : UNLINK), dir, path, 0, NULL)
NAMES(rename, (const char *path, const char *to), (path, to), RENAME, AT_FDCWD, path, AT_FDCWD, to)
NAMES(renameat, (int dir, const char *path, int to_dir, const char *to), (dir, path, to_dir, to), RENAME, dir, path, to_dir, to)
NAMES(renameat2, (int dir, const char *path, int to_dir, const char *to, unsigned flags), (dir, path, to_dir, to, flags), (flags & RENAME_EXCHANGE ? UNSEEN : RENAME), dir, path, to_dir, to)
NAMES(link, (const char *path, const char *to), (path, to), LINK, AT_FDCWD, path, AT_FDCWD, to)
NAMES(linkat, (int dir, const char *path, int to_dir, const char *to, int flags), (dir, path, to_dir, to, flags), LINK, dir, path, to_dir, to)
NAMES(symlink, (const char *to, const char *path), (to, path), UNSEEN, AT_FDCWD, path, 0, NULL)

#define MAP(name, offset)                                                                            \
    void *name(void *at, size_t size, int protection, int flags, int fd, offset from) {              \
        struct stat found;                                                                           \
        int is_marks, journal = -1;                                                                  \
        if (fd >= 0 && (protection & PROT_WRITE) && (flags & MAP_SHARED) && fstat(fd, &found) == 0 && found.st_nlink > 0) \
            journal = journal_of_fd(fd, &is_marks);                                                  \
        if (journal >= 0) {                                                                          \
            begin();                                                                                 \
            record(journal, UNSEEN, 0, 0, #name, NULL, NULL, 0);                                     \
            end(journal);                                                                            \
        }                                                                                            \
        return REAL(name)(at, size, protection, flags, fd, from);                                    \
    }
MAP(mmap, off_t)
MAP(mmap64, off64_t)
