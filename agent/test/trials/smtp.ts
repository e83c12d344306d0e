import { tlsIdentity } from '../_support/certificates.js';
import { startDeafServer } from '../_support/deaf-server.js';
import { aSpec } from '../_support/probe-context.js';
import type { ProbeTrial } from '../_support/probe-trial.js';
import { startSmtpServer } from '../_support/smtp-server.js';

/** How type `smtp` is tried: docs/adding-a-probe-type.md. */
export const trial: ProbeTrial<'smtp'> = {
  answered: async (t) => aSpec('smtp', `127.0.0.1:${(await startSmtpServer(t, { tls: tlsIdentity('good') })).port}`),
  silent: async (t) => aSpec('smtp', `127.0.0.1:${await startDeafServer(t)}`),
  report: async (t) => ({
    target: `127.0.0.1:${(await startSmtpServer(t, { tls: tlsIdentity('good') })).port}`,
    lines: [/^ {2}<- {2}mail\.example\.com ESMTP/, /^ {3}-> STARTTLS$/, /^ {2}=== TLSv1\.3/, /^ {3}~> EHLO$/],
  }),
};
