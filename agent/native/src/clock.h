#ifndef CLOCK_H
#define CLOCK_H

#include <stdint.h>

/* CLOCK_MONOTONIC, which is also what performance.now() of Node counts. */
int64_t monotonic_ns(void);

/* CLOCK_REALTIME minus CLOCK_MONOTONIC: constant, until somebody sets the clock. Within a microsecond. */
int64_t realtime_offset_ns(void);

#endif
