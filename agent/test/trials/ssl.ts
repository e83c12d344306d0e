import { startTlsServer, tlsIdentity } from '../_support/certificates.js';
import { startDeafServer } from '../_support/deaf-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';

/** How type `ssl` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'ssl'> = {
  answered: async (t) => aSpec('ssl', `127.0.0.1:${(await startTlsServer(t, tlsIdentity('good'), () => {})).port}`),
  silent: async (t) => aSpec('ssl', `127.0.0.1:${await startDeafServer(t)}`),
  report: async (t) => ({
    target: `127.0.0.1:${(await startTlsServer(t, tlsIdentity('good'), () => {})).port}`,
    lines: [
      /^ {2}Grade T {3}because of untrusted$/,
      /^ {2}Names +site\.example\.com/,
      /^ {4}T +untrusted +the certificate was sent without/,
      /^ {2}Versions$/,
      /^ {4}TLSv1\.1 +no +alert/,
      /^ {4}TLSv1\.3 +yes +TLS_AES/,
      /^ {2}Certificate 1 {2}CN=site\.example\.com$/,
    ],
  }),
};
