#define _GNU_SOURCE
#include "simulated_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Each is given what is mounted, and returns what the call returns, or an error number below zero.
extern long tsync_sim_open(void *, int, const char *, int, unsigned);
extern long tsync_sim_close(void *, int);
extern long tsync_sim_read(void *, int, void *, size_t, long);
extern long tsync_sim_write(void *, int, const void *, size_t);
extern long tsync_sim_seek(void *, int, long, int);
extern long tsync_sim_truncate(void *, int, long);
extern long tsync_sim_status(void *, int, const char *, struct stat *);
extern long tsync_sim_mode(void *, int, unsigned);
extern long tsync_sim_synchronize(void *, int);
extern long tsync_sim_synchronize_all(void *);
extern long tsync_sim_entries(void *, int, void *, size_t);
extern long tsync_sim_make_directory(void *, int, const char *, unsigned);
extern long tsync_sim_remove(void *, int, const char *, int);
extern long tsync_sim_link(void *, int, const char *, int, const char *);
extern long tsync_sim_rename(void *, int, const char *, int, const char *, unsigned);
extern long tsync_sim_lock(void *, int, int);

static _Thread_local void *mounted;

void *tsync_mount(void *files) {
  void *before = mounted;
  mounted = files;
  return before;
}

static bool is_ours(int descriptor) { return descriptor >= TSYNC_FIRST_SIMULATED; }

// The path below /sim; NULL for any other.
static const char *below(const char *path) {
  if (!mounted || strncmp(path, "/sim", 4) != 0) return NULL;
  return path[4] == '/' ? path + 5 : path[4] == 0 ? "." : NULL;
}

static long answer(long result) {
  if (result >= 0) return result;
  errno = (int)-result;
  return -1;
}

static int open_at(int directory, const char *name, int flags, mode_t mode) {
  if (is_ours(directory)) {
    return (int)answer(tsync_sim_open(mounted, directory, name, flags, mode));
  }
  const char *path = below(name);
  if (path) return (int)answer(tsync_sim_open(mounted, -1, path, flags, mode));
  return (int)syscall(SYS_openat, directory, name, flags, mode);
}

static mode_t mode_of(int flags, va_list list) {
  return flags & (O_CREAT | O_TMPFILE) ? va_arg(list, mode_t) : 0;
}

int open(const char *name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(AT_FDCWD, name, flags, mode);
}

int openat(int directory, const char *name, int flags, ...) {
  va_list list;
  va_start(list, flags);
  mode_t mode = mode_of(flags, list);
  va_end(list);
  return open_at(directory, name, flags, mode);
}

int close(int descriptor) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_close(mounted, descriptor));
  return (int)syscall(SYS_close, descriptor);
}

ssize_t read(int descriptor, void *buffer, size_t count) {
  if (is_ours(descriptor)) return answer(tsync_sim_read(mounted, descriptor, buffer, count, -1));
  return syscall(SYS_read, descriptor, buffer, count);
}

ssize_t pread(int descriptor, void *buffer, size_t count, off_t offset) {
  if (is_ours(descriptor)) {
    return answer(tsync_sim_read(mounted, descriptor, buffer, count, offset));
  }
  return syscall(SYS_pread64, descriptor, buffer, count, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  if (is_ours(descriptor)) return answer(tsync_sim_write(mounted, descriptor, bytes, count));
  return syscall(SYS_write, descriptor, bytes, count);
}

off_t lseek(int descriptor, off_t offset, int whence) {
  if (is_ours(descriptor)) return answer(tsync_sim_seek(mounted, descriptor, offset, whence));
  return syscall(SYS_lseek, descriptor, offset, whence);
}

int ftruncate(int descriptor, off_t size) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_truncate(mounted, descriptor, size));
  return (int)syscall(SYS_ftruncate, descriptor, size);
}

int fstat(int descriptor, struct stat *status) {
  if (is_ours(descriptor)) {
    return (int)answer(tsync_sim_status(mounted, descriptor, NULL, status));
  }
  return (int)syscall(SYS_newfstatat, descriptor, "", status, AT_EMPTY_PATH);
}

int fstatat(int directory, const char *name, struct stat *status, int flags) {
  if (is_ours(directory)) {
    return (int)answer(tsync_sim_status(mounted, directory, name, status));
  }
  const char *path = below(name);
  if (path) return (int)answer(tsync_sim_status(mounted, -1, path, status));
  return (int)syscall(SYS_newfstatat, directory, name, status, flags);
}

int fchmod(int descriptor, mode_t mode) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_mode(mounted, descriptor, mode));
  return (int)syscall(SYS_fchmod, descriptor, mode);
}

int fsync(int descriptor) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_synchronize(mounted, descriptor));
  return (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_synchronize(mounted, descriptor));
  return (int)syscall(SYS_fdatasync, descriptor);
}

int syncfs(int descriptor) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_synchronize_all(mounted));
  return (int)syscall(SYS_syncfs, descriptor);
}

ssize_t getdents64(int descriptor, void *buffer, size_t size) {
  if (is_ours(descriptor)) return answer(tsync_sim_entries(mounted, descriptor, buffer, size));
  return syscall(SYS_getdents64, descriptor, buffer, size);
}

int mkdirat(int directory, const char *name, mode_t mode) {
  if (is_ours(directory)) {
    return (int)answer(tsync_sim_make_directory(mounted, directory, name, mode));
  }
  const char *path = below(name);
  if (path) return (int)answer(tsync_sim_make_directory(mounted, -1, path, mode));
  return (int)syscall(SYS_mkdirat, directory, name, mode);
}

int mkdir(const char *name, mode_t mode) { return mkdirat(AT_FDCWD, name, mode); }

int unlinkat(int directory, const char *name, int flags) {
  if (is_ours(directory)) {
    return (int)answer(tsync_sim_remove(mounted, directory, name, flags));
  }
  const char *path = below(name);
  if (path) return (int)answer(tsync_sim_remove(mounted, -1, path, flags));
  return (int)syscall(SYS_unlinkat, directory, name, flags);
}

int linkat(int from, const char *old, int to, const char *new, int flags) {
  if (is_ours(from)) return (int)answer(tsync_sim_link(mounted, from, old, to, new));
  return (int)syscall(SYS_linkat, from, old, to, new, flags);
}

int renameat2(int from, const char *old, int to, const char *new, unsigned flags) {
  if (is_ours(from)) {
    return (int)answer(tsync_sim_rename(mounted, from, old, to, new, flags));
  }
  return (int)syscall(SYS_renameat2, from, old, to, new, flags);
}

int renameat(int from, const char *old, int to, const char *new) {
  return renameat2(from, old, to, new, 0);
}

int flock(int descriptor, int operation) {
  if (is_ours(descriptor)) return (int)answer(tsync_sim_lock(mounted, descriptor, operation));
  return (int)syscall(SYS_flock, descriptor, operation);
}

void *mmap(void *address, size_t size, int protection, int flags, int descriptor, off_t offset) {
  if (!is_ours(descriptor)) {
    return (void *)syscall(SYS_mmap, address, size, protection, flags, descriptor, offset);
  }
  // A copy of the file as it is: what is mapped is only read.
  void *copy = (void *)syscall(
      SYS_mmap, NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy != MAP_FAILED) tsync_sim_read(mounted, descriptor, copy, size, offset);
  return copy;
}
