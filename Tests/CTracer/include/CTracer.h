// Runs a program and stops at its system calls that change something, to log, refuse or cut them.
#ifndef TSYNC_CTRACER_H
#define TSYNC_CTRACER_H

#include <stddef.h>
#include <stdint.h>

// What a system call does, whichever of its forms is used.
enum tracer_kind {
  TRACER_OPEN,      // for writing; reading changes nothing and isn't seen
  TRACER_WRITE,     // write, pwrite, writev
  TRACER_SYNC,      // fsync
  TRACER_DATASYNC,  // fdatasync
  TRACER_SYNCFS,
  TRACER_RENAME,
  TRACER_LINK,
  TRACER_UNLINK,
  TRACER_MKDIR,
  TRACER_TRUNCATE,
  TRACER_CHMOD,
  TRACER_LOCK,
  TRACER_CONNECT,
  TRACER_SEND,
  TRACER_RECEIVE,
  TRACER_CLOSE,   // of what was open for writing, and of sockets
  TRACER_OTHER,   // changes a file in a way that a replay of the log doesn't know
  TRACER_ANY,     // for a fault: whatever it does
};

// What happens at the call whose turn it is.
enum tracer_mode {
  TRACER_LOG,   // nothing: all calls are told
  TRACER_KILL,  // the process is killed, the call isn't made
  TRACER_TEAR,  // half of the bytes are written, then the process is killed
  TRACER_FAIL,  // the call isn't made and fails with an error
  TRACER_FULL,  // as TRACER_FAIL, and so does every later one that takes space
};

struct tracer_fault {
  enum tracer_mode mode;
  enum tracer_kind kind;  // what the call does
  long at;                // which call of the kind, counted from 1 over all threads
  int error;              // for TRACER_FAIL and TRACER_FULL
};

// One call; paths and bytes belong to the tracer and are gone afterwards.
struct tracer_call {
  long number;          // counted from 1 over all threads
  long number_of_kind;  // the same among those of its kind
  enum tracer_kind kind;
  long descriptor;      // the first one it takes, or -1
  uint64_t file;        // the inode behind the descriptor; what open(2) has opened
  int64_t offset;       // where a write goes, or the length that a file is cut to
  long flags;           // those of open(2) and renameat2(2)
  int64_t result;       // what it returned, or -errno
  const char *path;     // what it is about, with the directory before it; "" where there is none
  const char *target;   // the second path of a rename or link
  const uint8_t *bytes; // what a write or a send hands over
  size_t count;
  int can_tear;         // whether half of its bytes can be written
  int takes_space;      // whether it makes a file, or writes to one that is no standard stream
};

// How the program ended.
struct tracer_end {
  int status;  // as wait(2) gives it
};

// Told of every call after it was made with TRACER_LOG, and else of the one that the fault meets,
// before it is made. A call that can't be torn isn't met by TRACER_TEAR, nor one that takes no
// space by TRACER_FULL.
typedef void (*tracer_listener)(void *context, const struct tracer_call *call);

// Whether this machine allows it; a text that says why not, or NULL.
const char *tracer_refusal(void);

// Runs a program to its end, and whatever it starts.
//
// streams: the descriptors that become its standard input, output and error.
// seconds: after so long the program is killed.
// Returns 0, or an errno where it couldn't be started.
int tracer_run(
    const char *program, char *const *arguments, char *const *environment, const char *directory,
    const int *streams, unsigned seconds, struct tracer_fault fault, tracer_listener listener,
    void *context, struct tracer_end *end);

// Opens a terminal: the end at which somebody types, and the one that a program has.
//
// Returns 0, or -1 and errno.
int tracer_terminal(int *keyboard, int *end);

// Cuts off the file system that a descriptor lies on, as a loss of power does.
//
// Returns 0, or -1 and errno.
int tracer_cut(int descriptor);

// umount(2).
int tracer_unmount(const char *path);

#endif
