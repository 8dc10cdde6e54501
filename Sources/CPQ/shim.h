// libpq for Swift: the functions that are used, from the library that is found when a store is a URL of
// PostgreSQL. They are declared here, so that building needs no headers of libpq; their types and numbers are
// part of its interface, which has not changed since version 14.
//
// Nothing in this file is compiled on its own: the functions are inlined where they are used.

#ifndef TSYNC_CPQ_H
#define TSYNC_CPQ_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct pg_conn PGconn;
typedef struct pg_result PGresult;

// What a parameter of a connection is called and set to.
typedef struct tsync_pq_option {
  char *keyword;
  char *envvar;
  char *compiled;
  char *val;
  char *label;
  char *dispchar;
  int dispsize;
} tsync_pq_option;

enum {
  TSYNC_PQ_CONNECTED = 0,
  TSYNC_PQ_COMMAND_OK = 1,
  TSYNC_PQ_TUPLES_OK = 2,
  TSYNC_PQ_PIPELINE_SYNC = 10,
  TSYNC_PQ_PIPELINE_ABORTED = 11,
  TSYNC_PQ_SQLSTATE = 'C',
  TSYNC_PQ_PRIMARY = 'M',
};

// The functions that are used: result, name, arguments.
#define TSYNC_PQ_FUNCTIONS(each) \
  each(int, libVersion, (void)) \
  each(PGconn *, connectdbParams, (const char *const *, const char *const *, int)) \
  each(void, finish, (PGconn *)) \
  each(int, status, (const PGconn *)) \
  each(char *, errorMessage, (const PGconn *)) \
  each(int, socket, (const PGconn *)) \
  each(int, setnonblocking, (PGconn *, int)) \
  each(void *, setNoticeProcessor, (PGconn *, void (*)(void *, const char *), void *)) \
  each(int, enterPipelineMode, (PGconn *)) \
  each(int, pipelineSync, (PGconn *)) \
  each(int, sendPrepare, (PGconn *, const char *, const char *, int, const unsigned *)) \
  each(int, sendQueryPrepared, \
    (PGconn *, const char *, int, const char *const *, const int *, const int *, int)) \
  each(int, flush, (PGconn *)) \
  each(int, consumeInput, (PGconn *)) \
  each(int, isBusy, (PGconn *)) \
  each(PGresult *, getResult, (PGconn *)) \
  each(void, clear, (PGresult *)) \
  each(int, resultStatus, (const PGresult *)) \
  each(char *, resultErrorField, (const PGresult *, int)) \
  each(int, ntuples, (const PGresult *)) \
  each(int, getisnull, (const PGresult *, int, int)) \
  each(int, getlength, (const PGresult *, int, int)) \
  each(char *, getvalue, (const PGresult *, int, int)) \
  each(char *, cmdTuples, (PGresult *)) \
  each(tsync_pq_option *, conninfoParse, (const char *, char **)) \
  each(void, conninfoFree, (tsync_pq_option *))

#define TSYNC_PQ_MEMBER(result, name, arguments) result (*name) arguments;
typedef struct tsync_pq {
  TSYNC_PQ_FUNCTIONS(TSYNC_PQ_MEMBER)
} tsync_pq;

// Fills the table from the shared library; false when it can't be opened or lacks a function.
// The library stays open until the process ends.
static inline bool tsync_pq_open(tsync_pq *table, const char *name) {
  void *image = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (image == NULL) return false;
#define TSYNC_PQ_FIND(result, name, arguments) \
  table->name = (result (*) arguments)dlsym(image, "PQ" #name); \
  if (table->name == NULL) return false;
  TSYNC_PQ_FUNCTIONS(TSYNC_PQ_FIND)
#undef TSYNC_PQ_FIND
  return true;
}

// What the server remarks goes nowhere.
static inline void tsync_pq_ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

static inline void tsync_pq_silence(const tsync_pq *table, PGconn *connection) {
  table->setNoticeProcessor(connection, tsync_pq_ignore, NULL);
}

#endif
