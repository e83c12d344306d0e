import type { Clock } from '@vantage/shared/clock.js';
import { parseToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { PingFlood } from './ping-flood.js';
import { type NewPing, storePing } from './ping-store.js';

interface CheckInsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
  /** A ping was stored: its heartbeat is due. */
  readonly onStored: () => void;
}

interface HeldPing {
  readonly tokenHash: Buffer;
  readonly at: Date;
  readonly ping: NewPing;
}

const HELD_MS = 1_000;

/** Takes pings of jobs: one statement each. Of a token that floods, the newest ping of every second is stored. */
export class CheckIns {
  readonly #flood: PingFlood;
  readonly #held = new Map<string, HeldPing>();
  #cancel: (() => void) | null = null;
  #storing: Promise<void> = Promise.resolve();

  constructor(private readonly options: CheckInsOptions) {
    this.#flood = new PingFlood(options.clock);
  }

  /** False: nobody has this token. */
  async take(token: string, ping: NewPing): Promise<boolean> {
    const parsed = parseToken(tokenPrefixes.heartbeat, token);
    if (parsed === null) return false;
    const { db, clock, onStored } = this.options;
    const key = parsed.secretHash.toString('base64');
    const held = { tokenHash: parsed.secretHash, at: new Date(clock.now()), ping };
    if (this.#flood.isOver(key)) {
      this.#hold(key, held);
      return true;
    }
    const isKnown = await storePing(db, held.tokenHash, held.at, ping);
    if (!isKnown) return false;
    this.#flood.count(key);
    onStored();
    return true;
  }

  /** Stores what is held. */
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
        if (!(await storePing(db, tokenHash, at, ping))) this.#flood.forget(key);
      } catch (error) {
        log.warn({ err: error }, 'ping of a flood not stored');
      }
    }
    if (held.length > 0) onStored();
  }
}
