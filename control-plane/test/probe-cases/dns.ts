import type { MakeProbeCase } from '../_support/probe-cases.js';
import { startNameServer } from '../_support/targets.js';

/** Target on loopback for a probe of type `dns`. */
export const makeCase: MakeProbeCase = async (t, { host }) => ({
  target: 'www.example.com',
  params: { server: host, port: await startNameServer(t, host), timeout_ms: 30_000 },
  found: { rcode: 'NOERROR', records: [{ name: 'www.example.com', type: 'A', ttl: 60, value: '203.0.113.10' }] },
});
