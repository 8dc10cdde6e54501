// The system calls that a workspace makes, answered by a file system in memory.
//
// A program that links this library has calls of its own in front of those of the C library. They
// reach the kernel as ever, but for paths below /sim, and descriptors opened there, while the thread
// has a file system mounted.
#ifndef TSYNC_SIMULATED_CALLS_H
#define TSYNC_SIMULATED_CALLS_H

// Descriptors of the file system in memory begin here.
#define TSYNC_FIRST_SIMULATED 0x40000000

// Mounts a file system for this thread, and returns the one that was mounted before.
void *_Nullable tsync_mount(void *_Nullable files);

#endif
