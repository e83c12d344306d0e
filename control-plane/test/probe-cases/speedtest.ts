import type { MakeProbeCase } from '../_support/probe-cases.js';

/** Target on loopback for a probe of type `speedtest`. */
export const makeCase: MakeProbeCase = async (_t, { host, controlPlaneUrl }) => ({
  target: `${controlPlaneUrl}/speedtest`,
  params: { bytes: 1_000_000 },
  found: { resolved_ip: host, bytes: 2_000_000, download: { bytes: 1_000_000 }, upload: { bytes: 1_000_000 } },
});
