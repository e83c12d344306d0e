// Places of a replica for attempts, 256 in all:
//
//   fast endpoints   all others, at most 64 at one host         an endpoint has four
//   slow endpoints   64, at most 16 at one host                an endpoint has one
//
// A host is busy once it has its share. One claim takes at most a share, so that a host never has more than two shares.

const AT_ONCE = 256;
const SLOW_AT_ONCE = 64;
/** Attempts at deliveries of one endpoint at once, over all replicas; one while the endpoint does not reply. */
export const PER_ENDPOINT = 4;
/** Share of the places that one host may fill: other hosts are served while thousands of endpoints of a host do not reply. */
const HOST_SHARE = 1 / 4;

/** Attempt that is under way. */
export interface UnderWay {
  /** Host name of the endpoint. */
  readonly host: string;
  /** True if the endpoint did not reply to the previous attempt. */
  readonly isSlow: boolean;
}

/** Limits of one claim for one kind of endpoints. */
export interface Places {
  /** Greatest number of endpoints. */
  readonly endpoints: number;
  /** Hosts that have their share already. */
  readonly busyHosts: readonly string[];
}

/** Decides which endpoints without a place the next claim of a replica may take. */
export function freePlaces(underWay: readonly UnderWay[]): { readonly fast: Places; readonly slow: Places } {
  const slow = underWay.filter(({ isSlow }) => isSlow);
  const free = AT_ONCE - underWay.length;
  const slowEndpoints = Math.max(0, Math.min(SLOW_AT_ONCE - slow.length, Math.floor(free / PER_ENDPOINT)));
  const fastEndpoints = Math.max(0, Math.floor((free - slowEndpoints) / PER_ENDPOINT));
  const [share, slowShare] = [AT_ONCE * HOST_SHARE, SLOW_AT_ONCE * HOST_SHARE];
  return {
    fast: { endpoints: Math.min(fastEndpoints, share / PER_ENDPOINT), busyHosts: hostsWith(underWay, share) },
    slow: { endpoints: Math.min(slowEndpoints, slowShare), busyHosts: hostsWith(slow, slowShare) },
  };
}

function hostsWith(underWay: readonly UnderWay[], least: number): string[] {
  const counts = new Map<string, number>();
  for (const { host } of underWay) counts.set(host, (counts.get(host) ?? 0) + 1);
  return [...counts].filter(([, count]) => count >= least).map(([host]) => host);
}
