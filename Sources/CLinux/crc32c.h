// CRC-32C by the processor's own instruction, where it has one.
#ifndef TSYNC_CLINUX_CRC32C_H
#define TSYNC_CLINUX_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)

// Whether this processor has SSE 4.2.
static inline int tsync_has_crc32c(void) { return __builtin_cpu_supports("sse4.2") != 0; }

// Continues a CRC-32C, given and returned without the final inversion.
__attribute__((target("sse4.2"))) static inline uint32_t tsync_crc32c(
    uint32_t crc, const void *bytes, size_t count) {
  const uint8_t *next = (const uint8_t *)bytes;
  uint64_t wide = crc;
  for (; count >= 8; next += 8, count -= 8) {
    uint64_t word;
    memcpy(&word, next, 8);
    wide = __builtin_ia32_crc32di(wide, word);
  }
  crc = (uint32_t)wide;
  for (; count > 0; next++, count--) crc = __builtin_ia32_crc32qi(crc, *next);
  return crc;
}

#else

// Whether the processor can do it; elsewhere than on x86-64 nobody asks it.
static inline int tsync_has_crc32c(void) { return 0; }

// Never called where tsync_has_crc32c() says no.
static inline uint32_t tsync_crc32c(uint32_t crc, const void *bytes, size_t count) {
  (void)bytes;
  (void)count;
  return crc;
}

#endif

#endif
