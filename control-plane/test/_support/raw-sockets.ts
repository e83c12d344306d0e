/** Options of tests whose agent sends pings: in CI nothing is skipped. */
export const needsRawSockets =
  process.env['CI'] === 'true' || process.getuid?.() === 0 ? {} : { skip: 'needs root: raw sockets (CAP_NET_RAW)' };
