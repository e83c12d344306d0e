#include "clock.h"

#include <time.h>

static int64_t read_ns(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t monotonic_ns(void) {
  return read_ns(CLOCK_MONOTONIC);
}

int64_t realtime_offset_ns(void) {
  /* two clocks cannot be read at once: the reading with the least time around it is the best, and 2 us will do */
  int64_t narrowest = INT64_MAX;
  int64_t offset = 0;
  for (int attempt = 0; attempt < 8 && narrowest > 2000; attempt += 1) {
    const int64_t before = monotonic_ns();
    const int64_t realtime = read_ns(CLOCK_REALTIME);
    const int64_t width = monotonic_ns() - before;
    if (width >= narrowest) continue;
    narrowest = width;
    offset = realtime - before - width / 2;
  }
  return offset;
}
