// libcurl for Swift: its types from its headers, its functions from the library that is found when
// the first request is made. Linking it would cost every command 8 to 12 ms of start-up.
//
// Swift calls neither C variadics nor macros, so each kind of argument has a typed function here.
// Nothing in this file is compiled on its own: the functions are inlined where they are used.

#ifndef TSYNC_CCURL_H
#define TSYNC_CCURL_H

// Without this, <curl/curl.h> turns the functions' names into type-checking macros.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

// The functions that are used. Their types are those which <curl/curl.h> declares.
#define TSYNC_CURL_FUNCTIONS(each) \
  each(easy_cleanup) \
  each(easy_getinfo) \
  each(easy_init) \
  each(easy_reset) \
  each(easy_setopt) \
  each(easy_strerror) \
  each(global_init) \
  each(multi_add_handle) \
  each(multi_cleanup) \
  each(multi_info_read) \
  each(multi_init) \
  each(multi_perform) \
  each(multi_poll) \
  each(multi_remove_handle) \
  each(multi_setopt) \
  each(slist_append) \
  each(slist_free_all) \
  each(version_info)

#define TSYNC_CURL_MEMBER(name) __typeof__(curl_##name) *name;
typedef struct tsync_curl {
  TSYNC_CURL_FUNCTIONS(TSYNC_CURL_MEMBER)
} tsync_curl;

// Fills the table from a shared library; false when it can't be opened or lacks a function.
// The library stays open until the process ends.
static inline bool tsync_curl_open(tsync_curl *table, const char *name) {
  void *image = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (image == NULL) return false;
#define TSYNC_CURL_FIND(name) \
  table->name = (__typeof__(curl_##name) *)dlsym(image, "curl_" #name); \
  if (table->name == NULL) return false;
  TSYNC_CURL_FUNCTIONS(TSYNC_CURL_FIND)
#undef TSYNC_CURL_FIND
  return true;
}

// Prepares the library, once in a process.
static inline CURLcode tsync_curl_prepare(const tsync_curl *table) {
  return table->global_init(CURL_GLOBAL_DEFAULT);
}

// The library's version as 0xMMmmpp.
static inline unsigned tsync_curl_version(const tsync_curl *table) {
  return table->version_info(CURLVERSION_NOW)->version_num;
}

// What a code means; a constant text.
static inline const char *tsync_curl_meaning(const tsync_curl *table, CURLcode code) {
  return table->easy_strerror(code);
}

// --- One transfer ---

static inline CURL *tsync_curl_easy(const tsync_curl *table) {
  return table->easy_init();
}

// Forgets all options; connections are kept.
static inline void tsync_curl_easy_reset(const tsync_curl *table, CURL *easy) {
  table->easy_reset(easy);
}

static inline void tsync_curl_easy_free(const tsync_curl *table, CURL *easy) {
  table->easy_cleanup(easy);
}

static inline CURLcode tsync_curl_set_long(
  const tsync_curl *table, CURL *easy, CURLoption option, long value) {
  return table->easy_setopt(easy, option, value);
}

static inline CURLcode tsync_curl_set_size(
  const tsync_curl *table, CURL *easy, CURLoption option, int64_t value) {
  return table->easy_setopt(easy, option, (curl_off_t)value);
}

// libcurl copies the text.
static inline CURLcode tsync_curl_set_text(
  const tsync_curl *table, CURL *easy, CURLoption option, const char *value) {
  return table->easy_setopt(easy, option, value);
}

// For what libcurl only points to: the context of callbacks, the buffer for a message.
static inline CURLcode tsync_curl_set_pointer(
  const tsync_curl *table, CURL *easy, CURLoption option, void *value) {
  return table->easy_setopt(easy, option, value);
}

// libcurl keeps the pointer: the list must live until another is set.
static inline CURLcode tsync_curl_set_fields(
  const tsync_curl *table, CURL *easy, struct curl_slist *fields) {
  return table->easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
}

// libcurl copies the bytes.
static inline CURLcode tsync_curl_set_body(
  const tsync_curl *table, CURL *easy, const void *bytes, int64_t count) {
  CURLcode code = table->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
  if (code != CURLE_OK) return code;
  return table->easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

static inline CURLcode tsync_curl_set_writer(
  const tsync_curl *table, CURL *easy, CURLoption option, curl_write_callback writer) {
  return table->easy_setopt(easy, option, writer);
}

static inline CURLcode tsync_curl_set_prerequest(
  const tsync_curl *table, CURL *easy, curl_prereq_callback check) {
  return table->easy_setopt(easy, CURLOPT_PREREQFUNCTION, check);
}

static inline CURLcode tsync_curl_set_opener(
  const tsync_curl *table, CURL *easy, curl_opensocket_callback opener, void *context) {
  CURLcode code = table->easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
  if (code != CURLE_OK) return code;
  return table->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, opener);
}

// Zero when the library has no answer, as for a transfer that has not begun.
static inline long tsync_curl_long(const tsync_curl *table, CURL *easy, CURLINFO info) {
  long value = 0;
  return table->easy_getinfo(easy, info, &value) == CURLE_OK ? value : 0;
}

static inline int64_t tsync_curl_size(const tsync_curl *table, CURL *easy, CURLINFO info) {
  curl_off_t value = 0;
  return table->easy_getinfo(easy, info, &value) == CURLE_OK ? (int64_t)value : 0;
}

static inline struct curl_slist *tsync_curl_append(
  const tsync_curl *table, struct curl_slist *list, const char *line) {
  return table->slist_append(list, line);
}

static inline void tsync_curl_list_free(const tsync_curl *table, struct curl_slist *list) {
  table->slist_free_all(list);
}

// --- Many transfers ---

static inline CURLM *tsync_curl_multi(const tsync_curl *table) {
  return table->multi_init();
}

static inline void tsync_curl_multi_free(const tsync_curl *table, CURLM *multi) {
  table->multi_cleanup(multi);
}

static inline CURLMcode tsync_curl_multi_set_long(
  const tsync_curl *table, CURLM *multi, CURLMoption option, long value) {
  return table->multi_setopt(multi, option, value);
}

static inline CURLMcode tsync_curl_add(const tsync_curl *table, CURLM *multi, CURL *easy) {
  return table->multi_add_handle(multi, easy);
}

static inline CURLMcode tsync_curl_remove(const tsync_curl *table, CURLM *multi, CURL *easy) {
  return table->multi_remove_handle(multi, easy);
}

static inline CURLMcode tsync_curl_perform(const tsync_curl *table, CURLM *multi) {
  int running = 0;
  return table->multi_perform(multi, &running);
}

// Waits until a socket is ready or a timer of libcurl's is due; counts the ready sockets.
static inline CURLMcode tsync_curl_poll(
  const tsync_curl *table, CURLM *multi, int milliseconds, int *ready) {
  return table->multi_poll(multi, NULL, 0, milliseconds, ready);
}

// Takes the next transfer that has ended; false when there is none.
static inline bool tsync_curl_ended(
  const tsync_curl *table, CURLM *multi, CURL **easy, CURLcode *code) {
  int left = 0;
  for (CURLMsg *message; (message = table->multi_info_read(multi, &left)) != NULL;) {
    if (message->msg != CURLMSG_DONE) continue;
    *easy = message->easy_handle;
    *code = message->data.result;
    return true;
  }
  return false;
}

#endif
