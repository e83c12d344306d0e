import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { hasDueRows } from '../../../db/due-rows.js';
import type { Mail } from '../../../mail/index.js';
import { Rounds, workOff } from '../../../runtime/rounds.js';
import { findRecipient } from '../../accounts/index.js';
import type { Interval } from '../definition/interval.js';
import { planDue } from './window-plan.js';
import { claimWindows, countMonitorsIn, queueMonitorsIn, timesOf, updatePlan, type WindowRow } from './window-store.js';

// Every replica looks for windows with due work, and claims them with SKIP LOCKED: each begin and end has its
// monitors judged, each notice mails the owner, in the transaction that writes the next due times. A replica that dies in between
// leaves them due.

const SWEEP_MS = 1_000;
const AT_ONCE = 50;

interface WindowTurnsOptions {
  readonly db: Knex;
  readonly mail: Pick<Mail, 'enqueue'>;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Handles begins and ends of maintenance windows, and announces them in advance, while it runs. */
export class WindowTurns {
  readonly #rounds: Rounds;

  constructor(private readonly options: WindowTurnsOptions) {
    const { clock, db, log } = options;
    this.#rounds = new Rounds({
      name: 'maintenance windows',
      everyMs: SWEEP_MS,
      isDue: () => hasDueRows(db, ['maintenance_windows'], new Date(clock.now())),
      turn: (isStopped) => workOff(isStopped, 1, () => this.#performSome()),
      onFailed: (error) => log.warn({ err: error }, 'cannot look for due maintenance windows, retrying'),
      clock,
    });
  }

  start(): void {
    this.#rounds.start();
  }

  stop(): Promise<void> {
    return this.#rounds.stop();
  }

  /** @returns the number of windows that had due work */
  async #performSome(): Promise<number> {
    const { db, clock, onDue } = this.options;
    const nowMs = clock.now();
    const claimed = await db.transaction(async (trx) => {
      const windows = await claimWindows(trx, new Date(nowMs), AT_ONCE);
      for (const window of windows) await this.#perform(trx, window, nowMs);
      return windows.length;
    });
    if (claimed > 0) onDue();
    return claimed;
  }

  async #perform(trx: Knex, window: WindowRow, nowMs: number): Promise<void> {
    const { id, next_turn_at, next_notice_at, announced_at, turned_at } = window;
    const planned = {
      ...timesOf(window),
      advanceNoticeMinutes: window.advance_notice_minutes,
      announcedAtMs: announced_at?.getTime() ?? null,
    };
    const plan = { nextTurnAtMs: next_turn_at?.getTime() ?? null, nextNoticeAtMs: next_notice_at?.getTime() ?? null };
    const { hasTurned, announced, ...next } = planDue(planned, plan, nowMs);
    await updatePlan(trx, id, {
      plan: next,
      turnedAt: hasTurned ? new Date(nowMs) : turned_at,
      announcedAt: announced === null ? announced_at : new Date(announced.fromMs),
    });
    if (hasTurned) await queueMonitorsIn(trx, window);
    if (announced !== null) await this.#announce(trx, window, announced);
  }

  async #announce(trx: Knex, window: WindowRow, { fromMs, toMs }: Interval): Promise<void> {
    if (window.is_test) return;
    const owner = await findRecipient(trx, window.owner_id);
    if (owner === null) return;
    await this.options.mail.enqueue(trx, {
      to: owner.email,
      locale: owner.locale,
      template: 'maintenance-notice',
      data: {
        title: window.title,
        monitors: await countMonitorsIn(trx, window),
        startsAt: new Date(fromMs).toISOString(),
        endsAt: new Date(toMs).toISOString(),
      },
    });
  }
}
