import { endpoint, type MakeProbeCase } from '../_support/probe-cases.js';
import { startGreeter } from '../_support/targets.js';

/** Target on loopback for a probe of type `tcp`. */
export const makeCase: MakeProbeCase = async (t, { host }) => ({
  target: endpoint(host, await startGreeter(t, host)),
  params: { banner: true },
  found: { resolved_ip: host, connect_ms: Number, banner: /^220 ready/ },
});
