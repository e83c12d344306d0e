import { startNtpServer } from '../_support/ntp-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `ntp` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'ntp'> = {
  answered: async (t) => aSpec('ntp', `127.0.0.1:${(await startNtpServer(t)).port}`, { count: 1 }),
  silent: async (t) => aSpec('ntp', `127.0.0.1:${(await startNtpServer(t, () => [])).port}`, { count: 2 }),
  report: async (t) => ({
    target: `127.0.0.1:${(await startNtpServer(t)).port}`,
    params: ['count=1'],
    lines: [/^ {2}offset +-?[\d.]+ ms$/, /^ {2}stratum +2$/, /^ {2}samples$/, /^ {4,}offset +delay$/],
  }),
};
