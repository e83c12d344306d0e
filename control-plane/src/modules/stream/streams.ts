import { idPrefixes, idTimeMs } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { EVERYBODY } from '../../authentication/index.js';
import { published } from '../../events/index.js';
import { requireFitting } from '../../http/access.js';
import { ApiError } from '../../http/errors.js';
import type { Account, EventsReply, ServerEvent } from '../../http/route.js';
import { background, type Rounds } from '../../runtime/background.js';
import { HeldAtOnce } from '../../runtime/held-at-once.js';
import type { Startable } from '../../runtime/startable.js';
import { version } from '../../version.js';
import type { House } from '../module.js';
import type { LiveReading } from '../monitors/index.js';
import { eventFrame, type Frame, frameOf } from './frames.js';
import { Live } from './live.js';
import type { OpenStream, StreamRequest } from './open-stream.js';
import {
  type EventRow,
  findMark,
  listSequences,
  OVERLAP_MS,
  READ_AT_ONCE,
  readEvents,
  readTime,
  replayEvents,
  type Selection,
} from './store.js';
import { type ByeReason, Stream } from './stream.js';
import { chooseTopics, kindsOf } from './topics.js';

//   publish ──commit──> owner's id on the bus ──> a replica with a stream of the owner reads, within 250 ms ──> its streams
//                                                 └── and of all its owners every 2 s, whatever the bus does
//
// Events are read from 30 s before the last reading of all owners, without those that were read before: an event that
// commits late is found late. Nothing is read while there is no stream.

const READ_WITHIN_MS = 250;
const SWEEP_MS = 2_000;
const EXAMINE_EVERY_MS = 60_000;
const STREAMS_PER_OWNER = 10;
const STREAMS_PER_UNLIMITED_OWNER = 50;
const STREAMS_PER_ADDRESS = 200;
const RETRY_AFTER_S = 30;
/** Longest absence after which a stream is continued, and most frames. */
export const CONTINUED = { withinMs: 3_600_000, most: 1_000 };

/** Streams of one owner; its events are read once `isReady`. */
interface OwnStreams {
  readonly streams: Set<OpenStream>;
  readonly ready: Promise<void>;
  isReady: boolean;
}

type StreamsOptions = Pick<House, 'bus' | 'clock' | 'publicUrl' | 'authentication'> & {
  readonly db: Knex;
  /** Connections whose transactions publish. */
  readonly pools: readonly Knex[];
  readonly log: Logger;
  readonly live: LiveReading;
  /** Streams of this replica at most. */
  readonly most: number;
};

/** The streams of this replica. */
export class Streams implements Startable {
  readonly #owners = new Map<string, OwnStreams>();
  readonly #open = new Set<OpenStream>();
  readonly #addresses = new HeldAtOnce(STREAMS_PER_ADDRESS);
  readonly #rounds: Rounds;
  readonly #live: Live;
  readonly #changed = new Set<string>();
  /** Sequences and times of events that were read since `#since`. */
  readonly #seen = new Map<number, Date>();
  #since: Date | null = null;
  #sweptMs = Number.NEGATIVE_INFINITY;
  #isLeaving = false;
  #onNone = () => {};

  constructor(private readonly options: StreamsOptions) {
    const { pools, bus, clock, log, authentication } = options;
    this.#live = new Live(options);
    this.#rounds = background({
      name: 'streams',
      everyMs: SWEEP_MS,
      look: () => this.#look(),
      failing: 'cannot read events for streams, retrying',
      clock,
      log,
    });
    for (const pool of pools) published.listen(pool, ({ ownerIds }) => this.#note(ownerIds));
    bus.onMessage(({ type, ids }) => {
      if (type === 'owner-events') this.#note(ids);
    });
    bus.onResync(() => this.#note([...this.#owners.keys()]));
    authentication.onChanged((id) => this.#examineOf(id));
  }

  /** Streams that are open. */
  get count(): number {
    return this.#open.size;
  }

  async start(): Promise<void> {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** Ends every stream, and opens no other: callers go to another replica. */
  leave(): void {
    this.#isLeaving = true;
    for (const { stream } of this.#open) stream.end('draining');
  }

  /** Leaves, and resolves when every stream has ended, which takes a second at most. */
  async end(): Promise<void> {
    this.leave();
    if (this.#open.size > 0) await new Promise<void>((resolve) => (this.#onNone = resolve));
  }

  /** Opens a stream. @throws ApiError FORBIDDEN, RATE_LIMIT_EXCEEDED, UNAVAILABLE and those of the credentials */
  async open(request: StreamRequest): Promise<EventsReply> {
    const { account, token, lastEventId } = request;
    if (this.#isLeaving) throw new ApiError('UNAVAILABLE');
    const topics = chooseTopics(account, request.topics);
    if (request.watch.length > 0) requireFitting(account, { kind: 'scope', scope: 'monitor:read' });
    const watched = await this.options.live.owned(request.watch, account.owner);
    const most = this.#mostOf(account);
    const free = this.#take(request, most);
    const selection = { ownerIds: [account.owner.id], kinds: kindsOf(topics), isTest: account.owner.isTest };
    const stream = new Stream(selection, this.options.clock);
    const opened = { account, token, topics, watched, stream, examinedMs: this.options.clock.monotonicMs() };
    let cancelExpiry = () => {};
    const close = () => {
      cancelExpiry();
      stream.close();
      this.#leave(opened);
      free();
    };
    this.#open.add(opened);
    request.onEnding(close);
    try {
      cancelExpiry = this.#endAtExpiry(opened, await this.#validity(token));
      await this.#join(opened);
      const missed = lastEventId === null ? nothing() : await this.#missed(lastEventId, selection);
      const at = new Date(this.options.clock.now()).toISOString();
      const hello = { at, version, replays_s: CONTINUED.withinMs / 1_000, max_streams: most };
      return { status: 200, events: closing(stream.frames(hello, missed), close), cut: stream.cut };
    } catch (error) {
      close();
      throw error;
    }
  }

  #mostOf({ plan }: Account): number {
    return plan === 'unlimited' ? STREAMS_PER_UNLIMITED_OWNER : STREAMS_PER_OWNER;
  }

  /** Takes a place. @throws ApiError RATE_LIMIT_EXCEEDED */
  #take({ account, address }: StreamRequest, most: number): () => void {
    const ofOwner = [...this.#open].filter((other) => other.account.owner.id === account.owner.id).length;
    if (ofOwner >= most) throw this.#refusal(most);
    if (this.#open.size >= this.options.most) throw this.#refusal(this.options.most);
    const free = this.#addresses.take(address);
    if (free === null) throw this.#refusal(STREAMS_PER_ADDRESS);
    return free;
  }

  #refusal(limit: number): ApiError {
    const resetsAt = Math.ceil(this.options.clock.now() / 1_000 + RETRY_AFTER_S) * 1_000;
    return new ApiError('RATE_LIMIT_EXCEEDED', {
      retryAfterSeconds: RETRY_AFTER_S,
      allowance: { limit, remaining: 0, resetsAt, isAllowed: false },
    });
  }

  /** Joins the streams of its owners: every event that commits from now on is offered to it. */
  async #join(opened: OpenStream): Promise<void> {
    const { ownerIds } = opened.stream.selection;
    for (const ownerId of ownerIds) {
      const own = this.#owners.get(ownerId) ?? { streams: new Set(), ready: this.#prepare(ownerId), isReady: false };
      this.#owners.set(ownerId, own);
      own.streams.add(opened);
      await own.ready;
      own.isReady = true;
    }
    this.#note(ownerIds);
  }

  #leave(opened: OpenStream): void {
    this.#open.delete(opened);
    if (this.#open.size === 0) this.#onNone();
    for (const ownerId of opened.stream.selection.ownerIds) {
      const own = this.#owners.get(ownerId);
      own?.streams.delete(opened);
      if (own?.streams.size === 0) this.#owners.delete(ownerId);
    }
    if (this.#owners.size > 0) return;
    this.#since = null;
    this.#seen.clear();
  }

  /** Notes what was committed before: it is not of the stream. */
  async #prepare(ownerId: string): Promise<void> {
    const { db } = this.options;
    this.#since ??= before(await readTime(db));
    for (const { id, created_at } of await listSequences(db, ownerId, this.#since)) this.#seen.set(id, created_at);
  }

  #note(ownerIds: readonly string[]): void {
    const own = ownerIds.filter((id) => this.#owners.has(id));
    if (own.length === 0) return;
    for (const id of own) this.#changed.add(id);
    this.#rounds.lookWithin(READ_WITHIN_MS);
  }

  async #look(): Promise<void> {
    const { db, clock } = this.options;
    const nowMs = clock.monotonicMs();
    const isSweep = nowMs - this.#sweptMs >= SWEEP_MS;
    const ready = [...this.#owners].filter(([, { isReady }]) => isReady).map(([id]) => id);
    const ownerIds = isSweep ? ready : ready.filter((id) => this.#changed.has(id));
    this.#changed.clear();
    if (ownerIds.length === 0) return;
    const at = isSweep ? await readTime(db) : null;
    await this.#read(ownerIds);
    if (at === null) return;
    this.#sweptMs = nowMs;
    await this.#live.send(this.#open, before(at));
    this.#since = before(at);
    for (const [id, createdAt] of this.#seen) if (createdAt < this.#since) this.#seen.delete(id);
    for (const opened of this.#open) if (nowMs - opened.examinedMs >= EXAMINE_EVERY_MS) void this.#examine(opened);
  }

  async #read(ownerIds: readonly string[]): Promise<void> {
    for (;;) {
      const since = this.#since;
      if (since === null) return;
      const rows = await readEvents(this.options.db, { ownerIds, since, seen: [...this.#seen.keys()] });
      for (const row of rows) this.#handOut(row);
      if (rows.length < READ_AT_ONCE) return;
    }
  }

  #handOut(row: EventRow): void {
    this.#seen.set(row.id, row.created_at);
    let frame: Frame | null = null;
    for (const { stream } of this.#owners.get(row.owner_id)?.streams ?? []) {
      if (!stream.shows(row)) continue;
      frame ??= eventFrame(row, this.options);
      stream.offer(frame);
    }
  }

  /** Frames that a reader missed since the event of an id, or a reset. */
  async #missed(lastEventId: string, selection: Selection): Promise<AsyncIterable<Frame>> {
    const { db, clock } = this.options;
    const mark = await findMark(db, lastEventId, { selection, ...CONTINUED });
    if (mark !== null && mark.following <= CONTINUED.most)
      return framesOf(replayEvents(db, mark, selection), this.options);
    const happenedMs = idTimeMs(idPrefixes.event, lastEventId);
    const isOld = mark !== null || (happenedMs !== null && happenedMs <= clock.now() - CONTINUED.withinMs);
    return framesOfReset(isOld ? 'too_old' : 'unknown_id');
  }

  async #validity(token: string): Promise<number | null> {
    return (await this.options.authentication.examine(token)).validForMs;
  }

  #endAtExpiry({ stream }: OpenStream, validForMs: number | null): () => void {
    if (validForMs === null) return () => {};
    return this.options.clock.after(Math.min(validForMs, LONGEST_TIMER_MS), () => stream.end('expired'), {
      unref: true,
    });
  }

  /** Examines the streams of a user or owner whose credentials may have changed. */
  #examineOf(id: string): void {
    for (const opened of this.#open) {
      const { owner, user } = opened.account;
      if (id === EVERYBODY || owner.id === id || user?.id === id) void this.#examine(opened);
    }
  }

  /** Ends a stream whose credentials are no longer valid or sufficient. */
  async #examine(opened: OpenStream): Promise<void> {
    opened.examinedMs = this.options.clock.monotonicMs();
    try {
      const { account } = await this.options.authentication.examine(opened.token);
      chooseTopics(account, opened.topics);
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) this.options.log.warn({ err: error }, 'cannot examine the credentials of a stream');
      else opened.stream.end(reason);
    }
  }
}

/** A longer time would be over at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

function before(at: Date): Date {
  return new Date(at.getTime() - OVERLAP_MS);
}

/** Why credentials no longer serve; null: that is not known. */
function reasonOf(error: unknown): ByeReason | null {
  if (!(error instanceof ApiError) || (error.status !== 401 && error.status !== 403 && error.status !== 410))
    return null;
  return error.code === 'AUTH_EXPIRED' || error.code === 'TOKEN_EXPIRED' ? 'expired' : 'revoked';
}

async function* nothing(): AsyncGenerator<Frame> {}

async function* framesOfReset(reason: 'too_old' | 'unknown_id'): AsyncGenerator<Frame> {
  yield frameOf({ event: 'reset', data: { reason } });
}

async function* framesOf(rows: AsyncIterable<EventRow>, context: Pick<House, 'publicUrl'>): AsyncGenerator<Frame> {
  for await (const row of rows) yield eventFrame(row, context);
}

/** The same events; `close` is called when their reader lets go, even before the first. */
function closing(events: AsyncGenerator<ServerEvent>, close: () => void): AsyncIterable<ServerEvent> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => events.next(),
      async return() {
        close();
        return events.return(undefined);
      },
    }),
  };
}
