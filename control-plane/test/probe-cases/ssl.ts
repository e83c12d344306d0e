import { endpoint, type MakeProbeCase } from '../_support/probe-cases.js';
import { startSmtpServer } from '../_support/smtp-server.js';

/** Target on loopback for a probe of type `ssl`. */
export const makeCase: MakeProbeCase = async (t, { host }) => ({
  target: endpoint(host, (await startSmtpServer(t, { address: host, encryption: 'tls' })).port),
  params: { timeout_ms: 30_000 },
  found: { resolved_ip: host, valid: false, protocol: 'TLSv1.3', grade: 'T', chain: [{ subject: /localhost/ }] },
});
