import { hasDueRows } from '../../../db/due-rows.js';
import { type BackgroundParts, background, type Rounds, workOff } from '../../../runtime/background.js';
import type { HeartbeatJudging } from './heartbeat-judging.js';
import { claimDue } from './store.js';

// Every replica judges due heartbeats, after a ping or a deadline: rows claimed with SKIP LOCKED in the transaction
// that writes the results. A replica that dies in between leaves them due.
//
//   pings stored here ──> look() ──┐
//   every second ──────────────────┴──> claim 100 ──> judge ──> commit ──> again while there were 100

const LOOK_MS = 1_000;
const AT_ONCE = 100;

interface HeartbeatWatchOptions extends BackgroundParts {
  readonly judging: HeartbeatJudging;
}

/** Judges due heartbeats. */
export function heartbeatWatch({ db, judging, clock, log }: HeartbeatWatchOptions): Rounds {
  const judgeSome = () =>
    db.transaction(async (trx) => {
      const nowMs = clock.now();
      const ids = await claimDue(trx, new Date(nowMs), AT_ONCE);
      if (ids.length > 0) await judging.judge(trx, ids, nowMs);
      return ids.length;
    });
  return background({
    name: 'heartbeats',
    everyMs: LOOK_MS,
    isDue: () => hasDueRows(db, ['heartbeats'], new Date(clock.now())),
    look: (isStopped) => workOff(isStopped, AT_ONCE, judgeSome),
    failing: 'cannot judge heartbeats, retrying',
    clock,
    log,
  });
}
