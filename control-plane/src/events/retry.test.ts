import t from 'tap';
import { MAX_ATTEMPTS, waitAfter } from './retry.js';

t.test(
  'an event is tried again after growing waits, ten minutes at most, and set aside after the eighth failure',
  async (t) => {
    const waits = Array.from({ length: MAX_ATTEMPTS }, (_, index) => waitAfter(index + 1));
    t.same(waits, [1_000, 4_000, 16_000, 64_000, 256_000, 600_000, 600_000, null]);
  },
);
