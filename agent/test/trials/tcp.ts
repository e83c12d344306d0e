import { startSilentPort } from '../_support/deaf-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';
import { startTcpServer } from '../_support/tcp-server.js';

/** How type `tcp` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'tcp'> = {
  answered: async (t) => aSpec('tcp', `127.0.0.1:${(await startTcpServer(t, () => {})).port}`),
  silent: async (t) => aSpec('tcp', `127.0.0.1:${await startSilentPort(t)}`, { count: 2 }),
  report: async (t) => ({
    target: `127.0.0.1:${(await startTcpServer(t, (socket) => socket.write('220 ready\r\n'))).port}`,
    params: ['banner=true', 'count=2'],
    lines: [/^ {2}banner +220 ready/, /^ {2}attempts$/, /^ {4}connect {2}error$/, /^ {4,}[\d.]+ +-$/],
  }),
};
