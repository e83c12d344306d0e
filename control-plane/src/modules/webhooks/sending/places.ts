// Places of a replica for attempts, 512 in all:
//
//   fast endpoints   all others; at most 128 at one host, 64 of one account        an endpoint has four
//   slow endpoints   128; at most 32 at one host, 16 of one account                an endpoint has one
//
// A host is busy once it has its share. One claim takes at most a share, so that a host never has more than two shares.

const AT_ONCE = 512;
const SLOW_AT_ONCE = 128;
/** Attempts at deliveries of one endpoint at once, over all replicas; one while the endpoint does not reply. */
export const PER_ENDPOINT = 4;
/** Share of the places that one host may fill: other hosts are served while thousands of endpoints of a host do not reply. */
const HOST_SHARE = 1 / 4;
/** Share that one account may fill, whatever its endpoints do. */
const ACCOUNT_SHARE = 1 / 8;

/** Attempt that is under way. */
export interface UnderWay {
  /** Host name of the endpoint. */
  readonly host: string;
  /** Owner of the endpoint. */
  readonly account: string;
  /** True if the endpoint did not reply to the previous attempt. */
  readonly isSlow: boolean;
}

/** Limits of one claim for one kind of endpoints. */
export interface Places {
  /** Greatest number of endpoints. */
  readonly endpoints: number;
  /** Greatest number of endpoints of an account that has no place. */
  readonly ofAccount: number;
  /** Greatest number of endpoints of each account that has places. */
  readonly left: ReadonlyMap<string, number>;
  /** Hosts that have their share already. */
  readonly busyHosts: readonly string[];
}

/** Decides which endpoints without a place the next claim of a replica may take. */
export function freePlaces(underWay: readonly UnderWay[]): { readonly fast: Places; readonly slow: Places } {
  const slow = underWay.filter(({ isSlow }) => isSlow);
  const free = AT_ONCE - underWay.length;
  const slowEndpoints = Math.max(0, Math.min(SLOW_AT_ONCE - slow.length, Math.floor(free / PER_ENDPOINT)));
  const fastEndpoints = Math.max(0, Math.floor((free - slowEndpoints) / PER_ENDPOINT));
  const placesOf = (all: readonly UnderWay[], { total, endpoints, perEndpoint }: Kind): Places => {
    const ofAccount = (places: number) => Math.max(0, Math.floor((total * ACCOUNT_SHARE - places) / perEndpoint));
    const [hosts, accounts] = [countBy(all, ({ host }) => host), countBy(all, ({ account }) => account)];
    return {
      endpoints: Math.min(endpoints, (total * HOST_SHARE) / perEndpoint),
      ofAccount: ofAccount(0),
      left: new Map([...accounts].map(([account, places]) => [account, ofAccount(places)])),
      busyHosts: [...hosts].filter(([, places]) => places >= total * HOST_SHARE).map(([host]) => host),
    };
  };
  return {
    fast: placesOf(underWay, { total: AT_ONCE, endpoints: fastEndpoints, perEndpoint: PER_ENDPOINT }),
    slow: placesOf(slow, { total: SLOW_AT_ONCE, endpoints: slowEndpoints, perEndpoint: 1 }),
  };
}

/** Kind of endpoints, with its places and the number of endpoints for which there is one. */
interface Kind {
  readonly total: number;
  readonly endpoints: number;
  readonly perEndpoint: number;
}

function countBy(all: readonly UnderWay[], keyOf: (one: UnderWay) => string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const one of all) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
  return counts;
}
