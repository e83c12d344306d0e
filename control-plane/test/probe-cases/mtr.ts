import type { MakeProbeCase } from '../_support/probe-cases.js';

/** Target on loopback for a probe of type `mtr`. */
export const makeCase: MakeProbeCase = async (_t, { host }) => ({
  target: host,
  params: { cycles: 2, interval_ms: 200, reverse_dns: false },
  found: { reached: true, resolved_ip: host, hops: [{ ttl: 1, loss_pct: 0, rtt: { avg_ms: Number } }] },
});
