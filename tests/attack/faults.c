/* Lets the k-th system call that opens, writes, syncs, renames or removes something within a folder fail, ends the
   program there by a signal, or lets the disk be full after some bytes.

   Loaded before the C library (LD_PRELOAD). `fail_at(k, number, folder)` begins to count; k = 0 fails none.
   After it, `signal_at(signal)` sends a signal in place of the failure, and `room_for(bytes)` bounds what is written. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char watched[PATH_MAX];
static int at = 0, number = 0, seen = 0, active = 0, sent = 0;
static long long room = -1, reserved = 0, written = 0; /* bytes that are left, if there is a bound; of these, a file's own */

void fail_at(int k, int error, const char *folder) {
    at = k, number = error, seen = 0, active = 1, sent = 0, room = -1, reserved = 0, written = 0;
    snprintf(watched, sizeof watched, "%s", folder);
}

void signal_at(int signal) { sent = signal; }
void room_for(long long bytes) { room = bytes; }
int calls_seen(void) { active = 0; return seen; }
long long bytes_written(void) { return written; }

/* Whether a call on this path fails: it is counted if the path is within the folder. */
static int fails(const char *path) {
    if (!active || !path || strncmp(path, watched, strlen(watched))) return 0;
    if (++seen != at) return 0;
    if (sent) { kill(getpid(), sent); return 0; }
    errno = number;
    return 1;
}

/* The path of an open file; NULL if it is of no interest. */
static const char *path_of(int handle, char *path) {
    char link[64];
    if (!active) return NULL;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, PATH_MAX - 1);
    if (length < 0) return NULL;
    path[length] = 0;
    return path;
}

static int fails_at(int handle) {
    char path[PATH_MAX];
    return fails(path_of(handle, path));
}

/* As many of these bytes as the disk has room for, which are no longer free after it; 0 and ENOSPC if there are none. */
static size_t within_room(int handle, size_t size) {
    char path[PATH_MAX];
    const char *found = path_of(handle, path);
    if (!found || strncmp(found, watched, strlen(watched))) return size;
    if (room >= 0 && size > (size_t)(room + reserved)) size = room + reserved;
    if (!size) { errno = ENOSPC; return 0; }
    long long own = reserved < (long long)size ? reserved : (long long)size;
    reserved -= own, written += size;
    if (room >= 0) room -= size - own;
    return size;
}

static int reserves(int handle, long long size) {
    char path[PATH_MAX];
    const char *found = path_of(handle, path);
    if (room < 0 || !found || strncmp(found, watched, strlen(watched))) return 0;
    if (size > room) return ENOSPC;
    room -= size, reserved += size;
    return 0;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list a; va_start(a, flags); mode = va_arg(a, mode_t); va_end(a); }

int open(const char *path, int flags, ...) { MODE REAL(open); return fails(path) ? -1 : real(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE REAL(open64); return fails(path) ? -1 : real(path, flags, mode); }
ssize_t write(int handle, const void *data, size_t size) {
    REAL(write);
    if (fails_at(handle) || (size && !(size = within_room(handle, size)))) return -1;
    return real(handle, data, size);
}
ssize_t pwrite64(int handle, const void *data, size_t size, off64_t from) {
    REAL(pwrite64);
    if (fails_at(handle) || (size && !(size = within_room(handle, size)))) return -1;
    return real(handle, data, size, from);
}
int fdatasync(int handle) { REAL(fdatasync); return fails_at(handle) ? -1 : real(handle); }
int fsync(int handle) { REAL(fsync); return fails_at(handle) ? -1 : real(handle); }
int ftruncate64(int handle, off64_t size) { REAL(ftruncate64); return fails_at(handle) ? -1 : real(handle, size); }
int posix_fallocate64(int handle, off64_t from, off64_t size) {
    REAL(posix_fallocate64);
    if (fails_at(handle)) return number;
    int full = reserves(handle, size);
    return full ? full : real(handle, from, size);
}
int rename(const char *from, const char *to) { REAL(rename); return fails(to) ? -1 : real(from, to); }
int chmod(const char *path, mode_t mode) { REAL(chmod); return fails(path) ? -1 : real(path, mode); }
int unlink(const char *path) { REAL(unlink); return fails(path) ? -1 : real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return fails(path) ? -1 : real(path, mode); }
