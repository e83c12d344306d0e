import type { MakeProbeCase } from '../_support/probe-cases.js';

/** Target on loopback for a probe of type `traceroute`. */
export const makeCase: MakeProbeCase = async (_t, { host }) => ({
  target: host,
  params: { reverse_dns: false },
  found: { reached: true, hops: [{ ttl: 1, replies: [{ ip: host, rtt_ms: Number }] }] },
});
