import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `mtr` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'mtr'> = {
  silent: async () => aSpec('mtr', '127.0.0.1', { cycles: 2, max_hops: 4, timeout_ms: 1000 }),
  answered: async () => aSpec('mtr', '127.0.0.1', { cycles: 1 }),
  report: async () => ({
    target: '127.0.0.1',
    params: ['cycles=1', 'reverse_dns=false'],
    lines: [/^ +Host +Loss% +Snt +Last +Avg/, /^ +1\.\|-- {2}127\.0\.0\.1 +0\.0% +1 +[\d.]+/],
  }),
};
