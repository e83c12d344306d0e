import { hasDueRows } from '../../../db/due-rows.js';
import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import { freshnessMs } from '../definition/freshness.js';
import { monitorIntervals } from '../definition/intervals.js';
import type { Judging } from './judging.js';
import { claimDue, queueFlapping, queueStale } from './state-store.js';

// Every replica judges due monitors: rows of a queue, claimed with SKIP LOCKED in the transaction that writes the result of the
// judgment. A replica that dies in between leaves them due.
//
//   results stored here ──> look() ──┐
//   every second ────────────────────┴──> claim 100 ──> judge ──> commit ──> again until there are none
//   every five seconds: nodes whose results have become too old; every half a minute: flapping monitors, which may have settled

const LOOK_MS = 1_000;
const STALE_MS = 5_000;
const FLAPPING_MS = 30_000;
const AT_ONCE = 100;

interface JudgesOptions extends BackgroundParts {
  readonly judging: Judging;
  /** Called with the time that each monitor waited for its judgment, in seconds. */
  readonly onJudged: (seconds: number) => void;
}

/** Rounds that judge monitors: `due` judges those that are due, the others find more of them. */
export function judgeMonitors({
  db,
  judging,
  onJudged,
  clock,
  log,
}: JudgesOptions): Record<'due' | 'stale' | 'flapping', Rounds> {
  const judgeSome = async () => {
    const startedMs = clock.monotonicMs();
    const claimed = await db.transaction(async (trx) => {
      const due = await claimDue(trx, AT_ONCE);
      const ids = due.map(({ id }) => id);
      if (ids.length > 0) await judging.judge(trx, ids, clock.now());
      return due;
    });
    const tookMs = clock.monotonicMs() - startedMs;
    for (const { waitedMs } of claimed) onJudged((waitedMs + tookMs) / 1_000);
    return claimed.length;
  };
  const due = background({
    name: 'judging',
    everyMs: LOOK_MS,
    isDue: () => hasDueRows(db, ['monitor_due'], null),
    look: (isStopped) => workOff(isStopped, 1, judgeSome),
    failing: 'cannot judge monitors, retrying',
    clock,
    log,
  });
  const stale = background({
    name: 'staleness',
    everyMs: STALE_MS,
    look: async () => {
      if ((await queueStale(db, monitorIntervals, monitorIntervals.map(freshnessMs))) > 0) due.look();
    },
    failing: 'cannot look for nodes with old results, retrying',
    clock,
    log,
  });
  const flapping = background({
    name: 'flapping',
    everyMs: FLAPPING_MS,
    look: () => queueFlapping(db),
    failing: 'cannot look for flapping monitors, retrying',
    clock,
    log,
  });
  return { due, stale, flapping };
}
