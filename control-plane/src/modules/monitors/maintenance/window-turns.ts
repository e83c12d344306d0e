import type { Knex } from 'knex';
import { hasDueRows } from '../../../db/due-rows.js';
import type { Mail } from '../../../mail/index.js';
import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import { findRecipient } from '../../accounts/index.js';
import type { Interval } from '../definition/interval.js';
import { planDue } from './window-plan.js';
import { claimWindows, countMonitorsIn, queueMonitorsIn, timesOf, updatePlan, type WindowRow } from './window-store.js';

// Every replica looks for windows with due work, and claims them with SKIP LOCKED: each begin and end has its
// monitors judged, each notice mails the owner, in the transaction that writes the next due times. A replica that dies in between
// leaves them due.

const SWEEP_MS = 1_000;
const AT_ONCE = 50;

interface WindowTurnsOptions extends BackgroundParts {
  readonly mail: Pick<Mail, 'enqueue'>;
  /** Called when monitors are due for judgment. */
  readonly onDue: () => void;
}

/** Handles begins and ends of maintenance windows, and announces them in advance. */
export function windowTurns({ db, mail, onDue, clock, log }: WindowTurnsOptions): Rounds {
  const performSome = async () => {
    const nowMs = clock.now();
    const claimed = await db.transaction(async (trx) => {
      const windows = await claimWindows(trx, new Date(nowMs), AT_ONCE);
      for (const window of windows) await perform(trx, window, { mail, nowMs });
      return windows.length;
    });
    if (claimed > 0) onDue();
    return claimed;
  };
  return background({
    name: 'maintenance windows',
    everyMs: SWEEP_MS,
    isDue: () => hasDueRows(db, ['maintenance_windows'], new Date(clock.now())),
    look: (isStopped) => workOff(isStopped, 1, performSome),
    failing: 'cannot look for due maintenance windows, retrying',
    clock,
    log,
  });
}

async function perform(
  trx: Knex,
  window: WindowRow,
  { mail, nowMs }: Pick<WindowTurnsOptions, 'mail'> & { readonly nowMs: number },
): Promise<void> {
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
  if (announced !== null) await announce(trx, window, { mail, ...announced });
}

async function announce(
  trx: Knex,
  window: WindowRow,
  { mail, fromMs, toMs }: Pick<WindowTurnsOptions, 'mail'> & Interval,
): Promise<void> {
  if (window.is_test) return;
  const owner = await findRecipient(trx, window.owner_id);
  if (owner === null) return;
  await mail.enqueue(trx, {
    to: owner.email,
    locale: owner.locale,
    timezone: owner.timezone,
    template: 'maintenance-notice',
    data: {
      title: window.title,
      monitors: await countMonitorsIn(trx, window),
      startsAt: new Date(fromMs).toISOString(),
      endsAt: new Date(toMs).toISOString(),
    },
  });
}
