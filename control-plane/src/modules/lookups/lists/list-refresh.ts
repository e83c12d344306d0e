import type { Outbound } from '../../../deliver/index.js';
import { RangeDatabaseError } from '../../../geo/index.js';
import { type BackgroundParts, background, type Rounds } from '../../../runtime/background.js';
import type { ListDefinition } from '../reputation/list-definition.js';
import { type Refusal, refusalOf } from '../reputation/version-guard.js';
import { readContent } from './list-content.js';
import { packList } from './list-pieces.js';
import { readSource, type SourceReply } from './list-source.js';
import {
  type Claim,
  type ClaimedList,
  claimDue,
  confirmVersion,
  type KnownList,
  noteFailure,
  releaseClaim,
  rememberList,
  storeVersion,
} from './list-store.js';

/** Interval at which each replica looks for lists that are due. */
const LOOK_EVERY_MS = 15_000;
/** Sources that a replica reads at once: each may take 64 MiB of memory twice. */
const AT_ONCE = 2;
/** Lease of a list whose source is read: a download, and twice as long for reading and storing it. */
const LEASE_MS = 180_000;
/** First delay after a failure; it doubles with each further one, up to the interval of the list. */
const FIRST_RETRY_MS = 60_000;
const MOST_RETRY_AFTER_MS = 86_400_000;

/** Outcomes of readings of sources, for metrics. */
export const refreshOutcomes = ['new', 'unchanged', 'refused', 'failed'] as const;
export type RefreshOutcome = (typeof refreshOutcomes)[number];

interface ListRefreshOptions extends BackgroundParts {
  readonly outbound: Pick<Outbound, 'send'>;
  readonly replicaId: string;
  readonly definitions: readonly ListDefinition[];
  /** Called when a list has another version, or its version was confirmed. */
  readonly onChange: (name: string) => void;
  readonly count: (outcome: RefreshOutcome) => void;
}

/** Reads the sources of lists, each on one replica, and stores what they have for all of them. */
export class ListRefresh {
  readonly #rounds: Rounds;
  readonly #byName: ReadonlyMap<string, ListDefinition>;
  readonly #known: readonly KnownList[];
  readonly #stopping = new AbortController();

  constructor(private readonly options: ListRefreshOptions) {
    const { clock, log, definitions } = options;
    this.#byName = new Map(definitions.map((definition) => [definition.name, definition]));
    this.#known = definitions.map(({ name, format, file, url }) => ({ name, source: `${format} ${file ?? url}` }));
    this.#rounds = background({
      name: 'list refresh',
      everyMs: LOOK_EVERY_MS,
      look: async (isStopped) => {
        const ends = await Promise.allSettled(Array.from({ length: AT_ONCE }, () => this.#readDue(isStopped)));
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
      },
      failing: 'cannot look for lists that are due, retrying',
      clock,
      log,
    });
  }

  async start(): Promise<void> {
    const { db, clock } = this.options;
    if (this.#known.length === 0) return;
    for (const list of this.#known) await rememberList(db, list, new Date(clock.now()));
    this.#rounds.start();
    this.#rounds.look();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#rounds.stop();
  }

  async #readDue(isStopped: () => boolean): Promise<void> {
    const { db, clock, replicaId: holder } = this.options;
    while (!isStopped()) {
      const now = new Date(clock.now());
      const claimed = await claimDue(db, this.#known, { holder, now, leaseMs: LEASE_MS });
      const definition = claimed === null ? undefined : this.#byName.get(claimed.name);
      if (claimed === null || definition === undefined) return;
      await this.#read(claimed, definition).catch(async (error: unknown) => {
        // stopped, or the database is away: then the lease ends by itself
        await releaseClaim(db, { name: definition.name, holder }).catch(() => {});
        throw error;
      });
    }
  }

  async #read(claimed: ClaimedList, list: ListDefinition): Promise<void> {
    const { outbound, clock } = this.options;
    const reply = await readSource(list, claimed, { outbound, clock, signal: this.#stopping.signal });
    const { outcome, message } = await this.#store(claimed, list, reply);
    this.options.count(outcome);
    if (outcome !== 'failed') this.options.onChange(list.name);
    this.#say(list.name, outcome, message);
  }

  async #store(claimed: ClaimedList, list: ListDefinition, reply: SourceReply): Promise<Outcome> {
    const { db } = this.options;
    const claim = this.#claimOf(list, list.refresh_s * 1_000);
    if (reply.kind === 'failed') return this.#fail(claimed, list, reply);
    if (reply.kind === 'unchanged') {
      const which = claimed.refusedDigest === null ? 'version_id' : 'refused_id';
      await confirmVersion(db, claim, { which, builtAt: new Date(reply.builtMs), marks: claimed });
      return { outcome: 'unchanged', message: null };
    }
    const { content, marks } = reply;
    const builtAt = new Date(reply.builtMs);
    const packed = await packList(content);
    const which = sameVersion(claimed, packed.digest);
    if (which !== null) {
      await confirmVersion(db, claim, { which, builtAt, marks });
      return { outcome: 'unchanged', message: null };
    }
    try {
      const { entries, ...counts } = await readContent(list, { bytes: content.length, pieces: [content] });
      const read = { ...counts, entries: entries.count };
      const refusal = refusalOf(read, claimed.inUse?.entries ?? null);
      await storeVersion(db, claim, { ...packed, ...read, bytes: content.length, builtAt, marks, refusal });
      return { outcome: refusal === null ? 'new' : 'refused', message: refusal };
    } catch (error) {
      if (!(error instanceof RangeDatabaseError)) throw error;
      return this.#fail(claimed, list, { message: error.message, retryAfterMs: null });
    }
  }

  async #fail(
    { failures }: ClaimedList,
    list: ListDefinition,
    { message, retryAfterMs }: { readonly message: string; readonly retryAfterMs: number | null },
  ): Promise<Outcome> {
    const backoffMs = Math.min(list.refresh_s * 1_000, FIRST_RETRY_MS * 2 ** Math.min(failures, 20));
    const delayMs = Math.max(backoffMs, Math.min(retryAfterMs ?? 0, MOST_RETRY_AFTER_MS));
    await noteFailure(this.options.db, this.#claimOf(list, delayMs), message);
    return { outcome: 'failed', message };
  }

  #claimOf({ name }: ListDefinition, delayMs: number): Claim {
    const nowMs = this.options.clock.now();
    return { name, holder: this.options.replicaId, now: new Date(nowMs), nextAt: new Date(nowMs + delayMs) };
  }

  #say(list: string, outcome: RefreshOutcome, reason: string | Refusal | null): void {
    const { log } = this.options;
    if (outcome === 'failed')
      log.warn({ list, reason }, 'cannot read the source of a list, keeping the previous version');
    if (outcome === 'refused') log.warn({ list, reason }, 'new version of a list refused, keeping the previous one');
    if (outcome === 'new') log.info({ list }, 'new version of a list stored');
  }
}

interface Outcome {
  readonly outcome: RefreshOutcome;
  readonly message: string | null;
}

/** Version that a digest is of; null for a new one. */
function sameVersion({ inUse, refusedDigest }: ClaimedList, digest: Buffer): 'version_id' | 'refused_id' | null {
  if (inUse?.digest.equals(digest) === true) return 'version_id';
  return refusedDigest?.equals(digest) === true ? 'refused_id' : null;
}
