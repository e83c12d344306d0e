import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `traceroute` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'traceroute'> = {
  answered: async () => aSpec('traceroute', '127.0.0.1', { queries: 1 }),
  silent: async () => aSpec('traceroute', '127.0.0.1', { queries: 1, max_hops: 4, timeout_ms: 1000 }),
  report: async () => ({
    target: '127.0.0.1',
    params: ['reverse_dns=false'],
    lines: [/^ {2}reached +true$/, /^ {3}1 {2}127\.0\.0\.1 {2}[\d.]+ ms {2}[\d.]+ ms {2}[\d.]+ ms$/],
  }),
};
