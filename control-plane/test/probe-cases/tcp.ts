import { endpoint, type MakeProbeCase } from '../_support/probe-cases.js';
import { startGreeter } from '../_support/targets.js';

/** Target on loopback for a probe of type `tcp`. */
export const makeCase: MakeProbeCase = async (t, { host }) => ({
  target: endpoint(host, await startGreeter(t, host)),
  params: { banner: true, timeout_ms: 30_000 },
  found: { resolved_ip: host, connect_ms: Number, banner: /^220 ready/ },
  // a probe waits a second for it
  cameTooLate: ({ success, banner }) => success && banner === undefined,
});
