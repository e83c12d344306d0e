import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `ping` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'ping'> = {
  contacts: [aSpec('ping', 'site.example.com'), aSpec('ping', 'site.example.com', { protocol: 'tcp' })],
  answered: async () => aSpec('ping', '127.0.0.1', { count: 1 }),
  silent: async () => aSpec('ping', '127.0.0.1', { count: 2, timeout_ms: 1000 }),
  report: async () => ({
    target: '127.0.0.1',
    params: ['count=2', 'interval_ms=200'],
    lines: [/^ {2}loss +0 %$/, /^ {2}rtt mdev +[\d.]+ ms$/, /^ {2}seq=0 ttl=64 time=[\d.]+ ms$/, /^ {2}seq=1 /],
  }),
};
