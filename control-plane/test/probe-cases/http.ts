import type { MakeProbeCase } from '../_support/probe-cases.js';
import { SlowTarget } from '../_support/slow-target.js';

/** Target on loopback for a probe of type `http`. */
export const makeCase: MakeProbeCase = async (t, { host }) => ({
  target: (await SlowTarget.start(t, host)).url('/hello'),
  params: { timeout_ms: 30_000 },
  found: { status_code: 200, body: 'hello', resolved_ip: host },
});
