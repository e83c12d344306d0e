import type { MakeProbeCase } from '../_support/probe-cases.js';

/** Target on loopback for a probe of type `speedtest`. */
export const makeCase: MakeProbeCase = async (_t, { host, controlPlaneUrl }) => ({
  target: `${controlPlaneUrl}/speedtest`,
  params: { bytes: 100_000, timeout_ms: 10_000 },
  found: { resolved_ip: host, bytes: 200_000, download: { bytes: 100_000 }, upload: { bytes: 100_000 } },
});
