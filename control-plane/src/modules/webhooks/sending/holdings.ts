import { PER_ENDPOINT, type UnderWay } from './places.js';

// A delivery that this replica has claimed:
//
//   waiting ──a place of its endpoint is free──> under way ──response──> ended ──marked──> gone
//      └── claimed too long ago, or the replica stops: given back

/**
 * Longest time from the claim to the attempt: a paused endpoint, another URL and another secret take effect within it,
 * and the lease outlasts the attempt.
 */
const FRESH_MS = 2_000;
/** Greatest number of deliveries of an endpoint that are held; until one attempt at it has ended, as many as are sent at once. */
const HELD_AT_MOST = 8 * PER_ENDPOINT;

/** Claimed delivery, as far as holding it needs. */
interface Held {
  readonly id: string;
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly is_slow: boolean;
  readonly host: string;
}

/** Deliveries of one endpoint. */
interface Holding<D extends Held> {
  readonly host: string;
  readonly account: string;
  /** True if the last attempt brought no response. */
  isSlow: boolean;
  /** Duration of the last attempt; null if none has ended. */
  lastMs: number | null;
  /** Instant since which it is known to have no deliveries; null if not known. */
  emptySinceMs: number | null;
  readonly waiting: { readonly delivery: D; readonly claimedAtMs: number }[];
  underWay: number;
  /** All of them until they are marked: other leases are those of other replicas. */
  readonly ids: Set<string>;
}

/** Deliveries that this replica has claimed, by endpoint: a few more than are sent at once, so that a claim serves many. */
export class Holdings<D extends Held> {
  readonly #byEndpoint = new Map<string, Holding<D>>();

  add(claimed: readonly D[], claimedAtMs: number): void {
    for (const delivery of claimed) {
      const known = this.#byEndpoint.get(delivery.endpoint_id);
      // of an endpoint without deliveries only its speed is kept: its host may be another by now
      const holding =
        known === undefined || known.ids.size === 0 ? newHolding<D>(delivery, known?.lastMs ?? null) : known;
      holding.waiting.push({ delivery, claimedAtMs });
      holding.ids.add(delivery.id);
      this.#byEndpoint.set(delivery.endpoint_id, holding);
    }
  }

  /** Takes the deliveries of an endpoint for which it has places, in the order of their claims: they are under way. */
  take(endpointId: string, nowMs: number): D[] {
    const holding = this.#byEndpoint.get(endpointId);
    if (holding === undefined) return [];
    const taken: D[] = [];
    for (;;) {
      const [next] = holding.waiting;
      const isFree = holding.underWay < (holding.isSlow ? 1 : PER_ENDPOINT);
      if (next === undefined || !isFree || isStale(next, nowMs)) return taken;
      holding.waiting.shift();
      holding.underWay += 1;
      taken.push(next.delivery);
    }
  }

  /** Notes the end of an attempt: its place is free. */
  end({ endpoint_id: endpointId }: D, { isSlow, tookMs }: { readonly isSlow: boolean; readonly tookMs: number }): void {
    const holding = this.#byEndpoint.get(endpointId);
    if (holding === undefined) return;
    holding.underWay -= 1;
    holding.isSlow = isSlow;
    holding.lastMs = tookMs;
  }

  /** Forgets a delivery that is marked, or whose lease is left to end. */
  forget({ id, endpoint_id: endpointId }: D): void {
    this.#byEndpoint.get(endpointId)?.ids.delete(id);
  }

  /** Removes the deliveries that have waited too long; those of `endpointIds`, or of all, whatever they waited. */
  takeBack(nowMs: number, endpointIds: readonly string[] | 'all' = []): D[] {
    const whole = endpointIds === 'all' ? [...this.#byEndpoint.keys()] : endpointIds;
    const back = [...this.#byEndpoint].flatMap(([endpointId, { waiting }]) => {
      const fresh = whole.includes(endpointId) ? [] : waiting.filter((one) => !isStale(one, nowMs));
      const old = waiting.filter((one) => !fresh.includes(one));
      waiting.splice(0, waiting.length, ...fresh);
      return old.map(({ delivery }) => delivery);
    });
    for (const delivery of back) this.forget(delivery);
    this.#forgetEmpty(nowMs);
    return back;
  }

  /** How fast an endpoint replies is known for a while after its last delivery: many of one mark may leave it without any. */
  #forgetEmpty(nowMs: number): void {
    for (const [endpointId, holding] of this.#byEndpoint) {
      if (holding.ids.size > 0) continue;
      holding.emptySinceMs ??= nowMs;
      if (nowMs - holding.emptySinceMs > FRESH_MS) this.#byEndpoint.delete(endpointId);
    }
  }

  /** True if fewer deliveries of an endpoint wait than it is sent at once: the next claim should come before they are gone. */
  isLow(endpointId: string): boolean {
    return (this.#byEndpoint.get(endpointId)?.waiting.length ?? 0) < PER_ENDPOINT;
  }

  /** Number of deliveries of an endpoint to hold: those that it takes within half of the time for which they are fresh. */
  mostOf(endpointId: string): number {
    const lastMs = this.#byEndpoint.get(endpointId)?.lastMs ?? null;
    if (lastMs === null) return PER_ENDPOINT;
    const taken = PER_ENDPOINT * Math.floor(FRESH_MS / 2 / Math.max(1, lastMs));
    return Math.min(HELD_AT_MOST, Math.max(PER_ENDPOINT, taken));
  }

  /** Endpoints that have places already. */
  endpointIds(): string[] {
    return [...this.#byEndpoint].flatMap(([endpointId, { ids }]) => (ids.size === 0 ? [] : [endpointId]));
  }

  /** Ids of all deliveries of these endpoints. */
  idsOf(endpointIds: readonly string[]): string[] {
    return endpointIds.flatMap((endpointId) => [...(this.#byEndpoint.get(endpointId)?.ids ?? [])]);
  }

  /** Places that are taken: those under way, and those that what waits will take. */
  places(): UnderWay[] {
    return [...this.#byEndpoint.values()].flatMap(({ host, account, isSlow, ids, underWay }) => {
      // one that has become slow still has attempts under way that began before
      const length = Math.max(underWay, Math.min(ids.size, isSlow ? 1 : PER_ENDPOINT));
      return Array.from({ length }, () => ({ host, account, isSlow }));
    });
  }
}

function newHolding<D extends Held>(delivery: Held, lastMs: number | null): Holding<D> {
  const { host, owner_id: account, is_slow: isSlow } = delivery;
  return { host, account, isSlow, lastMs, emptySinceMs: null, waiting: [], underWay: 0, ids: new Set() };
}

function isStale({ claimedAtMs }: { readonly claimedAtMs: number }, nowMs: number): boolean {
  return nowMs - claimedAtMs > FRESH_MS;
}
