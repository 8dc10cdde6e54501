#define _GNU_SOURCE
#include "CTracer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)

// Where a call keeps its paths: which arguments are a directory's descriptor and a name.
struct call_form {
  int number;
  enum tracer_kind kind;
  signed char directory, name, target_directory, target_name;  // -1: none; -2: the current one
};

#define FILE_CALL(name, kind) {SYS_##name, kind, -1, -1, -1, -1}

static const struct call_form forms[] = {
    {SYS_openat, TRACER_OPEN, 0, 1, -1, -1},
    {SYS_open, TRACER_OPEN, -2, 0, -1, -1},
    {SYS_creat, TRACER_OPEN, -2, 0, -1, -1},
    FILE_CALL(write, TRACER_WRITE),
    FILE_CALL(pwrite64, TRACER_WRITE),
    FILE_CALL(writev, TRACER_WRITE),
    FILE_CALL(fsync, TRACER_SYNC),
    FILE_CALL(fdatasync, TRACER_DATASYNC),
    FILE_CALL(syncfs, TRACER_SYNCFS),
    {SYS_rename, TRACER_RENAME, -2, 0, -2, 1},
    {SYS_renameat, TRACER_RENAME, 0, 1, 2, 3},
    {SYS_renameat2, TRACER_RENAME, 0, 1, 2, 3},
    {SYS_link, TRACER_LINK, -2, 0, -2, 1},
    {SYS_linkat, TRACER_LINK, 0, 1, 2, 3},
    {SYS_unlink, TRACER_UNLINK, -2, 0, -1, -1},
    {SYS_unlinkat, TRACER_UNLINK, 0, 1, -1, -1},
    {SYS_rmdir, TRACER_UNLINK, -2, 0, -1, -1},
    {SYS_mkdir, TRACER_MKDIR, -2, 0, -1, -1},
    {SYS_mkdirat, TRACER_MKDIR, 0, 1, -1, -1},
    FILE_CALL(ftruncate, TRACER_TRUNCATE),
    FILE_CALL(fchmod, TRACER_CHMOD),
    FILE_CALL(flock, TRACER_LOCK),
    FILE_CALL(connect, TRACER_CONNECT),
    FILE_CALL(sendto, TRACER_SEND),
    FILE_CALL(sendmsg, TRACER_SEND),
    FILE_CALL(recvfrom, TRACER_RECEIVE),
    FILE_CALL(recvmsg, TRACER_RECEIVE),
    FILE_CALL(close, TRACER_CLOSE),
    FILE_CALL(pwritev, TRACER_OTHER),
    FILE_CALL(pwritev2, TRACER_OTHER),
    FILE_CALL(fallocate, TRACER_OTHER),
    FILE_CALL(copy_file_range, TRACER_OTHER),
    FILE_CALL(sendfile, TRACER_OTHER),
    {SYS_truncate, TRACER_OTHER, -2, 0, -1, -1},
    {SYS_symlink, TRACER_OTHER, -2, 1, -1, -1},
    {SYS_symlinkat, TRACER_OTHER, 1, 2, -1, -1},
    {SYS_openat2, TRACER_OTHER, 0, 1, -1, -1},
};

#define FORM_COUNT (sizeof forms / sizeof forms[0])
#define THREAD_LIMIT 64
#define PATH_LIMIT 4096
#define BYTES_LIMIT (8 << 20)

struct traced_thread {
  pid_t id;
  int belongs;    // to the program itself, not to one that it has started
  int is_inside;  // a call of it is under way
  struct tracer_call call;
  char path[2 * PATH_LIMIT], target[2 * PATH_LIMIT];
  uint8_t *bytes;
};

struct tracing {
  pid_t process;
  struct tracer_fault fault;
  tracer_listener listener;
  void *context;
  long counts[TRACER_ANY + 1];  // by kind, the last one of all
  int is_full;  // since TRACER_FULL has met its call
  struct traced_thread *threads[THREAD_LIMIT];
};

// MARK: Reading the other process

static size_t read_memory(pid_t id, unsigned long address, void *buffer, size_t count) {
  struct iovec here = {buffer, count}, there = {(void *)address, count};
  ssize_t got = process_vm_readv(id, &here, 1, &there, 1, 0);
  return got < 0 ? 0 : (size_t)got;
}

// A text may end right before memory that isn't there: page by page.
static void read_text(pid_t id, unsigned long address, char *text, size_t limit) {
  size_t got = 0;
  while (got < limit - 1) {
    size_t step = 4096 - (address + got) % 4096;
    if (step > limit - 1 - got) step = limit - 1 - got;
    size_t count = read_memory(id, address + got, text + got, step);
    if (memchr(text + got, 0, count)) return;
    got += count;
    if (count < step) break;
  }
  text[got] = 0;
}

static unsigned long argument(const struct user_regs_struct *registers, int index) {
  switch (index) {
    case 0: return registers->rdi;
    case 1: return registers->rsi;
    case 2: return registers->rdx;
    case 3: return registers->r10;
    case 4: return registers->r8;
    default: return registers->r9;
  }
}

static void descriptor_path(pid_t id, int descriptor, char *path, size_t limit) {
  char link[64];
  if (descriptor == AT_FDCWD) {
    snprintf(link, sizeof link, "/proc/%d/cwd", id);
  } else {
    snprintf(link, sizeof link, "/proc/%d/fd/%d", id, descriptor);
  }
  ssize_t count = readlink(link, path, limit - 1);
  path[count < 0 ? 0 : count] = 0;
}

static void named_path(
    pid_t id, const struct user_regs_struct *registers, int directory, int name, char *path) {
  char text[PATH_LIMIT];
  read_text(id, argument(registers, name), text, sizeof text);
  if (text[0] == '/') {
    strcpy(path, text);
    return;
  }
  int descriptor = directory == -2 ? AT_FDCWD : (int)argument(registers, directory);
  descriptor_path(id, descriptor, path, PATH_LIMIT);
  strcat(path, "/");
  strcat(path, text);
}

// What fdinfo says of a descriptor; zero where it says nothing.
static void descriptor_state(pid_t id, int descriptor, long *flags, int64_t *position) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", id, descriptor);
  *flags = *position = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return;
  text[count] = 0;
  sscanf(text, "pos: %ld flags: %lo", position, (unsigned long *)flags);
}

static int descriptor_status(pid_t id, int descriptor, struct stat *status) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", id, descriptor);
  return stat(path, status);
}

// MARK: Calls

static const struct call_form *find_form(long number) {
  for (size_t index = 0; index < FORM_COUNT; index++)
    if (forms[index].number == number) return &forms[index];
  return NULL;
}

static int is_counted(
    pid_t id, const struct call_form *form, const struct user_regs_struct *registers) {
  long flags;
  int64_t position;
  switch (form->number) {
    case SYS_openat: flags = (long)registers->rdx; break;
    case SYS_open: flags = (long)registers->rsi; break;
    case SYS_close:
      descriptor_state(id, (int)registers->rdi, &flags, &position);
      return (flags & O_ACCMODE) != O_RDONLY;
    default: return 1;
  }
  return (flags & O_ACCMODE) != O_RDONLY || flags & (O_CREAT | O_TRUNC);
}

static int can_tear(const struct call_form *form, const struct user_regs_struct *registers) {
  switch (form->number) {
    case SYS_write:
    case SYS_pwrite64:
    case SYS_sendto: return registers->rdx > 1;
    default: return 0;
  }
}

static int takes_space(
    pid_t id, const struct call_form *form, const struct user_regs_struct *registers) {
  char path[2 * PATH_LIMIT];
  struct stat status;
  switch (form->kind) {
    case TRACER_LINK:
    case TRACER_MKDIR: return 1;
    case TRACER_WRITE: {
      int descriptor = (int)registers->rdi;
      return descriptor > 2 && descriptor_status(id, descriptor, &status) == 0 &&
             S_ISREG(status.st_mode);
    }
    case TRACER_OPEN: {
      long flags = form->number == SYS_openat ? (long)registers->rdx
                   : form->number == SYS_open ? (long)registers->rsi
                                              : O_CREAT;
      if (!(flags & O_CREAT)) return 0;
      named_path(id, registers, form->directory, form->name, path);
      return lstat(path, &status) != 0;
    }
    default: return 0;
  }
}

static void gather_bytes(
    struct traced_thread *thread, const struct call_form *form,
    const struct user_regs_struct *registers) {
  struct tracer_call *call = &thread->call;
  if (form->number == SYS_writev || form->number == SYS_sendmsg) {
    struct iovec parts[64];
    unsigned long address = registers->rsi, count = registers->rdx;
    if (form->number == SYS_sendmsg) {
      struct msghdr message;
      if (read_memory(thread->id, address, &message, sizeof message) < sizeof message) return;
      address = (unsigned long)message.msg_iov;
      count = message.msg_iovlen;
    }
    if (count > 64) count = 64;
    count = read_memory(thread->id, address, parts, count * sizeof parts[0]) / sizeof parts[0];
    for (unsigned long index = 0; index < count; index++) {
      size_t more = parts[index].iov_len;
      if (call->count + more > BYTES_LIMIT) return;
      call->count += read_memory(
          thread->id, (unsigned long)parts[index].iov_base, thread->bytes + call->count, more);
    }
    return;
  }
  size_t count = registers->rdx < BYTES_LIMIT ? registers->rdx : BYTES_LIMIT;
  call->count = read_memory(thread->id, registers->rsi, thread->bytes, count);
}

static void describe(
    const struct tracing *tracing, struct traced_thread *thread, const struct call_form *form,
    const struct user_regs_struct *registers) {
  struct tracer_call *call = &thread->call;
  memset(call, 0, sizeof *call);
  call->number = tracing->counts[TRACER_ANY];
  call->number_of_kind = tracing->counts[form->kind];
  call->kind = form->kind;
  call->descriptor = -1;
  call->path = thread->path;
  call->target = thread->target;
  call->bytes = thread->bytes;
  call->can_tear = can_tear(form, registers);
  call->takes_space = takes_space(thread->id, form, registers);
  thread->path[0] = thread->target[0] = 0;
  if (form->name >= 0) {
    named_path(thread->id, registers, form->directory, form->name, thread->path);
  } else {
    int descriptor = (int)registers->rdi;
    struct stat status;
    call->descriptor = descriptor;
    descriptor_path(thread->id, descriptor, thread->path, PATH_LIMIT);
    if (descriptor_status(thread->id, descriptor, &status) == 0) {
      call->file = status.st_ino;
      if (form->kind == TRACER_WRITE) {
        long flags;
        descriptor_state(thread->id, descriptor, &flags, &call->offset);
        if (flags & O_APPEND) call->offset = status.st_size;
      }
    }
  }
  if (form->target_name >= 0) {
    named_path(
        thread->id, registers, form->target_directory, form->target_name, thread->target);
  }
  switch (form->number) {
    case SYS_openat: call->flags = (long)registers->rdx; break;
    case SYS_open: call->flags = (long)registers->rsi; break;
    case SYS_creat: call->flags = O_WRONLY | O_CREAT | O_TRUNC; break;
    case SYS_renameat2: call->flags = (long)registers->r8; break;
    case SYS_unlinkat: call->flags = (long)registers->rdx; break;
    case SYS_rmdir: call->flags = AT_REMOVEDIR; break;
    case SYS_fchmod: call->flags = (long)registers->rsi; break;
    case SYS_ftruncate: call->offset = (int64_t)registers->rsi; break;
    case SYS_pwrite64: call->offset = (int64_t)registers->r10; break;
    default: break;
  }
  if (form->kind == TRACER_WRITE || form->kind == TRACER_SEND)
    gather_bytes(thread, form, registers);
}

static void kill_all(struct tracing *tracing) {
  kill(tracing->process, SIGKILL);
  for (int index = 0; index < THREAD_LIMIT; index++) {
    struct traced_thread *thread = tracing->threads[index];
    if (thread && !thread->belongs) kill(thread->id, SIGKILL);
  }
}

// MARK: Stops

// Whether it is this call's turn.
static int is_met(
    const struct tracing *tracing, pid_t id, const struct call_form *form,
    const struct user_regs_struct *registers) {
  enum tracer_kind kind = tracing->fault.kind;
  long count = tracing->counts[kind];
  if (tracing->fault.mode == TRACER_FULL)
    return count >= tracing->fault.at && takes_space(id, form, registers);
  if ((kind != TRACER_ANY && kind != form->kind) || count != tracing->fault.at) return 0;
  return tracing->fault.mode != TRACER_TEAR || can_tear(form, registers);
}

// The kernel passes over a call whose number is -1, and returns what stands in rax.
static void refuse(
    const struct traced_thread *thread, struct user_regs_struct *registers, int error) {
  registers->orig_rax = (unsigned long long)-1;
  registers->rax = (unsigned long long)-(long long)error;
  ptrace(PTRACE_SETREGS, thread->id, 0, registers);
}

// Before a call; answers how the thread goes on.
static int enter(struct tracing *tracing, struct traced_thread *thread) {
  struct user_regs_struct registers;
  if (!thread->belongs || ptrace(PTRACE_GETREGS, thread->id, 0, &registers) != 0)
    return PTRACE_CONT;
  const struct call_form *form = find_form((long)registers.orig_rax);
  if (!form || !is_counted(thread->id, form, &registers)) return PTRACE_CONT;
  tracing->counts[form->kind]++;
  tracing->counts[TRACER_ANY]++;
  if (tracing->fault.mode == TRACER_LOG) {
    describe(tracing, thread, form, &registers);
    thread->is_inside = 1;
    return PTRACE_SYSCALL;
  }
  if (!is_met(tracing, thread->id, form, &registers)) return PTRACE_CONT;
  if (!tracing->is_full) {
    describe(tracing, thread, form, &registers);
    if (tracing->listener) tracing->listener(tracing->context, &thread->call);
  }
  switch (tracing->fault.mode) {
    case TRACER_TEAR:
      registers.rdx /= 2;
      ptrace(PTRACE_SETREGS, thread->id, 0, &registers);
      thread->is_inside = 1;
      return PTRACE_SYSCALL;
    case TRACER_FULL:
      tracing->is_full = 1;
      refuse(thread, &registers, tracing->fault.error);
      return PTRACE_CONT;
    case TRACER_FAIL:
      // A close that fails has closed nevertheless (close(2)).
      if (form->kind == TRACER_CLOSE) {
        thread->is_inside = 1;
        return PTRACE_SYSCALL;
      }
      refuse(thread, &registers, tracing->fault.error);
      return PTRACE_CONT;
    default: kill_all(tracing); return PTRACE_CONT;
  }
}

// After a call.
static void leave(struct tracing *tracing, struct traced_thread *thread) {
  if (!thread->is_inside) return;
  thread->is_inside = 0;
  if (tracing->fault.mode == TRACER_TEAR) {
    kill_all(tracing);
    return;
  }
  struct user_regs_struct registers;
  if (ptrace(PTRACE_GETREGS, thread->id, 0, &registers) != 0) return;
  if (tracing->fault.mode == TRACER_FAIL) {
    registers.rax = (unsigned long long)-(long long)tracing->fault.error;
    ptrace(PTRACE_SETREGS, thread->id, 0, &registers);
    return;
  }
  thread->call.result = (int64_t)registers.rax;
  if (thread->call.kind == TRACER_OPEN && thread->call.result >= 0) {
    struct stat status;
    if (descriptor_status(thread->id, (int)thread->call.result, &status) == 0)
      thread->call.file = status.st_ino;
  }
  if (tracing->listener) tracing->listener(tracing->context, &thread->call);
}

static struct traced_thread *find_thread(struct tracing *tracing, pid_t id, int *is_new) {
  struct traced_thread **free_place = NULL;
  *is_new = 0;
  for (int index = 0; index < THREAD_LIMIT; index++) {
    struct traced_thread **place = &tracing->threads[index];
    if (*place && (*place)->id == id) return *place;
    if (!*place && !free_place) free_place = place;
  }
  if (!free_place) return NULL;
  struct traced_thread *thread = calloc(1, sizeof *thread);
  if (!thread) return NULL;
  char task[64];
  snprintf(task, sizeof task, "/proc/%d/task/%d", tracing->process, id);
  thread->id = id;
  thread->belongs = id == tracing->process || access(task, F_OK) == 0;
  thread->bytes = malloc(BYTES_LIMIT);
  if (!thread->bytes) {
    free(thread);
    return NULL;
  }
  *is_new = 1;
  return *free_place = thread;
}

static void forget_thread(struct tracing *tracing, pid_t id) {
  for (int index = 0; index < THREAD_LIMIT; index++) {
    struct traced_thread *thread = tracing->threads[index];
    if (!thread || (id != 0 && thread->id != id)) continue;
    free(thread->bytes);
    free(thread);
    tracing->threads[index] = NULL;
  }
}

static int has_threads(const struct tracing *tracing) {
  for (int index = 0; index < THREAD_LIMIT; index++)
    if (tracing->threads[index]) return 1;
  return 0;
}

// Until all have ended; this thread may have other children, which are not to be waited for.
static void follow(struct tracing *tracing, struct tracer_end *end) {
  while (has_threads(tracing)) {
    int status;
    pid_t id = waitpid(-1, &status, __WALL | __WNOTHREAD);
    if (id < 0 && errno == EINTR) continue;
    if (id < 0) break;
    if (!WIFSTOPPED(status)) {
      if (id == tracing->process) end->status = status;
      forget_thread(tracing, id);
      continue;
    }
    int is_new, way = PTRACE_CONT, number = WSTOPSIG(status), event = status >> 16;
    struct traced_thread *thread = find_thread(tracing, id, &is_new);
    if (!thread) {
      kill_all(tracing);
    } else if (event == PTRACE_EVENT_SECCOMP) {
      way = enter(tracing, thread);
      number = 0;
    } else if (number == (SIGTRAP | 0x80)) {
      leave(tracing, thread);
      number = 0;
    } else if (event != 0 || (is_new && number == SIGSTOP)) {
      number = 0;
    }
    ptrace(way, id, 0, number);
  }
}

// MARK: Starting

static size_t make_filter(struct sock_filter *filter) {
  size_t count = 0;
  filter[count++] = (struct sock_filter)BPF_STMT(
      BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t index = 0; index < FORM_COUNT; index++) {
    filter[count++] = (struct sock_filter)BPF_JUMP(
        BPF_JMP | BPF_JEQ | BPF_K, (unsigned)forms[index].number,
        (unsigned char)(FORM_COUNT - index), 0);
  }
  filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  filter[count++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
  return count;
}

static void become(
    const char *program, char *const *arguments, char *const *environment, const char *directory,
    const int *streams) {
  struct sock_filter filter[FORM_COUNT + 3];
  struct sock_fprog code = {(unsigned short)make_filter(filter), filter};
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  // Above what is replaced, so that no stream is lost before it is copied.
  int copies[3];
  for (int index = 0; index < 3; index++) copies[index] = fcntl(streams[index], F_DUPFD, 64);
  for (int index = 0; index < 3; index++) {
    if (dup2(copies[index], index) < 0) _exit(127);
    close(copies[index]);
  }
  if (directory && chdir(directory) != 0) _exit(127);
  if (ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(126);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) _exit(126);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &code) != 0) _exit(126);
  execve(program, arguments, environment);
  _exit(127);
}

static void end_late(union sigval value) { kill((pid_t)value.sival_int, SIGKILL); }

int tracer_run(
    const char *program, char *const *arguments, char *const *environment, const char *directory,
    const int *streams, unsigned seconds, struct tracer_fault fault, tracer_listener listener,
    void *context, struct tracer_end *end) {
  struct tracing tracing = {.fault = fault, .listener = listener, .context = context};
  memset(end, 0, sizeof *end);
  pid_t process = fork();
  if (process < 0) return errno;
  if (process == 0) become(program, arguments, environment, directory, streams);
  tracing.process = process;
  int status;
  while (waitpid(process, &status, __WALL) < 0)
    if (errno != EINTR) return errno;
  if (!WIFSTOPPED(status)) return WIFEXITED(status) && WEXITSTATUS(status) == 126 ? EPERM : ENOEXEC;
  long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                 PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  int is_new, failure = 0;
  if (ptrace(PTRACE_SETOPTIONS, process, 0, options) != 0) failure = errno;
  struct sigevent event = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = end_late};
  event.sigev_value.sival_int = process;
  timer_t timer;
  struct itimerspec limit = {.it_value.tv_sec = seconds};
  int is_timed = timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
  if (is_timed) timer_settime(timer, 0, &limit, NULL);
  find_thread(&tracing, process, &is_new);
  if (failure) kill(process, SIGKILL);
  ptrace(PTRACE_CONT, process, 0, 0);
  follow(&tracing, end);
  if (is_timed) timer_delete(timer);
  forget_thread(&tracing, 0);
  return failure;
}

const char *tracer_refusal(void) {
  char *arguments[] = {"true", NULL}, *environment[] = {NULL};
  int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  int streams[3] = {null, null, null};
  struct tracer_fault fault = {.mode = TRACER_LOG, .kind = TRACER_ANY};
  struct tracer_end end;
  int failure =
      tracer_run("/bin/true", arguments, environment, NULL, streams, 10, fault, NULL, NULL, &end);
  close(null);
  if (failure == ENOEXEC) return "/bin/true can't be run";
  return failure ? "ptrace(2) or seccomp(2) isn't allowed here" : NULL;
}

#else

const char *tracer_refusal(void) { return "the tracer knows the registers of x86-64 only"; }

int tracer_run(
    const char *program, char *const *arguments, char *const *environment, const char *directory,
    const int *streams, unsigned seconds, struct tracer_fault fault, tracer_listener listener,
    void *context, struct tracer_end *end) {
  (void)program, (void)arguments, (void)environment, (void)directory, (void)streams, (void)seconds;
  (void)fault, (void)listener, (void)context, (void)end;
  return ENOSYS;
}

#endif

int tracer_terminal(int *keyboard, int *end) {
  char name[128];
  *keyboard = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (*keyboard < 0) return -1;
  if (grantpt(*keyboard) == 0 && unlockpt(*keyboard) == 0 &&
      ptsname_r(*keyboard, name, sizeof name) == 0) {
    *end = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*end >= 0) return 0;
  }
  close(*keyboard);
  return -1;
}

// FS_IOC_SHUTDOWN of ext4, F2FS and XFS, and its way that doesn't write out the log first.
#define SHUTDOWN _IOR('X', 125, uint32_t)
#define WITHOUT_LOG 2

int tracer_cut(int descriptor) {
  uint32_t way = WITHOUT_LOG;
  return ioctl(descriptor, SHUTDOWN, &way);
}

int tracer_unmount(const char *path) { return umount(path); }
