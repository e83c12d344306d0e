import type { Clock } from '@vantage/shared/clock.js';
import { parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { ApiError } from '../../../http/errors.js';
import { Turns } from '../../../http/turns.js';
import { hasEffect } from './heartbeat-state.js';
import { PINGS_PER_MINUTE, PingFlood } from './ping-flood.js';
import { type NewPing, storePing } from './ping-store.js';

interface CheckInsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called when a ping was stored: its heartbeat is due. */
  readonly onStored: () => void;
}

interface HeldPing {
  readonly tokenHash: Buffer;
  readonly at: Date;
  readonly ping: NewPing;
}

const HELD_MS = 1_000;
const PATIENCE_MS = 5_000;

/** Stores pings of jobs with one statement each; of a token that floods, the newest ping of each second. */
export class CheckIns {
  readonly #flood: PingFlood;
  /** By token: pings from many addresses wait for one row. */
  readonly #tokens: Turns;
  readonly #held = new Map<string, HeldPing>();
  #cancel: (() => void) | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(private readonly options: CheckInsOptions) {
    const { clock } = options;
    const refusal = () => new ApiError('UNAVAILABLE', { retryAfterSeconds: 1 });
    const bounds = { atOnce: 1, maxWaiting: PINGS_PER_MINUTE, patienceMs: PATIENCE_MS };
    this.#flood = new PingFlood(clock);
    this.#tokens = new Turns({ ...bounds, clock, refusal });
  }

  /** Takes a ping; false if no heartbeat has the token. @throws ApiError UNAVAILABLE if the ping cannot be stored in time */
  async take(token: string, ping: NewPing): Promise<boolean> {
    const parsed = parseToken(tokenPrefixes.heartbeat, token);
    if (parsed === null) return false;
    const { db, clock, onStored } = this.options;
    const key = parsed.secretHash.toString('base64');
    const held = { tokenHash: parsed.secretHash, at: new Date(clock.now()), ping };
    if (this.#flood.isOver(key)) {
      // a message for the log takes no place of a ping that decides
      if (hasEffect(ping.kind) || !this.#held.has(key)) this.#hold(key, held);
      return true;
    }
    // counted before it is stored: a thousand at once would all find the minute unused, and wait for one row
    this.#flood.count(key);
    const isKnown = await this.#tokens.run(key, () => storePing(db, held.tokenHash, held.at, ping));
    if (!isKnown) {
      this.#flood.forget(key);
      return false;
    }
    onStored();
    return true;
  }

  /** Stores the pings that are held back. */
  async stop(): Promise<void> {
    this.#cancel?.();
    this.#cancel = null;
    await this.#storing;
    await this.#storeHeld();
  }

  #hold(key: string, ping: HeldPing): void {
    this.#held.set(key, ping);
    this.#cancel ??= this.options.clock.after(HELD_MS, () => {
      this.#cancel = null;
      this.#storing = this.#storeHeld();
    });
  }

  async #storeHeld(): Promise<void> {
    const { db, log, onStored } = this.options;
    const held = [...this.#held];
    this.#held.clear();
    for (const [key, { tokenHash, at, ping }] of held) {
      try {
        // the token may have been changed since
        const isKnown = await this.#tokens.run(key, () => storePing(db, tokenHash, at, ping));
        if (!isKnown) this.#flood.forget(key);
      } catch (error) {
        log.warn({ err: error }, 'cannot store a ping of a token with many pings');
      }
    }
    if (held.length > 0) onStored();
  }
}
