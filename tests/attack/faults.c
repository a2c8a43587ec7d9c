/* Lets the k-th system call that opens, writes, syncs, renames or removes something within a folder fail.

   Loaded before the C library (LD_PRELOAD). `fail_at(k, number, folder)` begins to count; k = 0 fails none. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

static char watched[PATH_MAX];
static int at = 0, number = 0, seen = 0, active = 0;

void fail_at(int k, int error, const char *folder) {
    at = k, number = error, seen = 0, active = 1;
    snprintf(watched, sizeof watched, "%s", folder);
}

int calls_seen(void) { active = 0; return seen; }

/* Whether a call on this path fails: it is counted if the path is within the folder. */
static int fails(const char *path) {
    if (!active || !path || strncmp(path, watched, strlen(watched))) return 0;
    if (++seen != at) return 0;
    errno = number;
    return 1;
}

static int fails_at(int handle) {
    char link[64], path[PATH_MAX];
    if (!active) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", handle);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return fails(path);
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define MODE mode_t mode = 0; if (flags & (O_CREAT | O_TMPFILE)) { va_list a; va_start(a, flags); mode = va_arg(a, mode_t); va_end(a); }

int open(const char *path, int flags, ...) { MODE REAL(open); return fails(path) ? -1 : real(path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE REAL(open64); return fails(path) ? -1 : real(path, flags, mode); }
ssize_t write(int handle, const void *data, size_t size) { REAL(write); return fails_at(handle) ? -1 : real(handle, data, size); }
int fsync(int handle) { REAL(fsync); return fails_at(handle) ? -1 : real(handle); }
int ftruncate64(int handle, off64_t size) { REAL(ftruncate64); return fails_at(handle) ? -1 : real(handle, size); }
int posix_fallocate64(int handle, off64_t from, off64_t size) { REAL(posix_fallocate64); return fails_at(handle) ? number : real(handle, from, size); }
int rename(const char *from, const char *to) { REAL(rename); return fails(to) ? -1 : real(from, to); }
int chmod(const char *path, mode_t mode) { REAL(chmod); return fails(path) ? -1 : real(path, mode); }
int unlink(const char *path) { REAL(unlink); return fails(path) ? -1 : real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); return fails(path) ? -1 : real(path, mode); }
