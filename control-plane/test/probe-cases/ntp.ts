import { endpoint, type MakeProbeCase } from '../_support/probe-cases.js';
import { startTimeServer } from '../_support/targets.js';

/** Target on loopback for a probe of type `ntp`. */
export const makeCase: MakeProbeCase = async (t, { host }) => ({
  target: endpoint(host, await startTimeServer(t, host)),
  params: { count: 1, timeout_ms: 10_000 },
  found: { resolved_ip: host, stratum: 1, refid: 'TEST', leap: 'none', offset_ms: Number, packets_received: 1 },
});
