import type { MakeProbeCase } from '../_support/probe-cases.js';

/** Target on loopback for a probe of type `ping`. */
export const makeCase: MakeProbeCase = async (_t, { host }) => ({
  target: host,
  params: { count: 2, interval_ms: 200, timeout_ms: 10_000 },
  found: { packets_sent: 2, packets_received: 2, loss_pct: 0, rtt: { avg_ms: Number }, resolved_ip: host },
});
