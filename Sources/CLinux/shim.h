// System calls of Linux that Swift's Glibc module doesn't show.
//
// Each returns what the call returns: -1 and errno on failure.
#ifndef TSYNC_CLINUX_SHIM_H
#define TSYNC_CLINUX_SHIM_H

#include <sys/vfs.h>
#include <unistd.h>

// renameat2(2): fail with EEXIST where the new name exists.
#define TSYNC_RENAME_NOREPLACE 1U
// renameat2(2): swap the two names in one step.
#define TSYNC_RENAME_EXCHANGE 2U

// The C library shows these to programs that ask for its extensions only.
extern int renameat2(int, const char *, int, const char *, unsigned int);
extern int syncfs(int);
extern ssize_t getdents64(int, void *, size_t);
// Their headers would hide the types of Swift's Glibc module, so pointers have no type here.
extern int ppoll(void *, unsigned long, const void *, const void *);
extern int posix_spawn_file_actions_addchdir_np(void *, const char *);
extern void *memmem(const void *, unsigned long, const void *, unsigned long);

// renameat2(2), Linux 3.15.
static inline int tsync_renameat2(
    int old_directory, const char *old_name, int new_directory, const char *new_name,
    unsigned int flags) {
  return renameat2(old_directory, old_name, new_directory, new_name, flags);
}

// syncfs(2): writes out the whole file system that the descriptor lies on.
static inline int tsync_syncfs(int descriptor) { return syncfs(descriptor); }

// getdents64(2): fills the buffer with directory entries; 0 at the end.
static inline long tsync_getdents64(int directory, void *buffer, unsigned long size) {
  return getdents64(directory, buffer, size);
}

// ppoll(2) on one pollfd, without a time limit; the mask is a sigset_t.
static inline int tsync_poll(void *poll, const void *mask) { return ppoll(poll, 1, 0, mask); }

// fstatfs(2): the type of the file system that the descriptor lies on; 0 on failure.
static inline long tsync_file_system(int descriptor) {
  struct statfs system;
  return fstatfs(descriptor, &system) == 0 ? (long)system.f_type : 0;
}

// memmem(3): whether a text stands in some bytes.
static inline int tsync_has(
    const void *bytes, unsigned long count, const void *text, unsigned long length) {
  return memmem(bytes, count, text, length) != 0;
}

// posix_spawn_file_actions_addchdir_np(3): the program starts in the directory.
static inline int tsync_spawn_in_directory(void *actions, const char *directory) {
  return posix_spawn_file_actions_addchdir_np(actions, directory);
}

#endif
