import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { hasDueRows } from '../../../db/due-rows.js';
import { Rounds, workOff } from '../../../runtime/rounds.js';
import type { HeartbeatJudging } from './heartbeat-judging.js';
import { claimDue } from './store.js';

// Every replica judges due heartbeats, after a ping or a deadline: rows claimed with SKIP LOCKED in the transaction
// that writes the results. A replica that dies in between leaves them due.
//
//   pings stored here ──> look() ──┐
//   every second ──────────────────┴──> claim 100 ──> judge ──> commit ──> again while there were 100

const LOOK_MS = 1_000;
const AT_ONCE = 100;

interface HeartbeatWatchOptions {
  readonly db: Knex;
  readonly judging: HeartbeatJudging;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Judges due heartbeats in the background, while it runs. */
export function heartbeatWatch({ db, judging, clock, log }: HeartbeatWatchOptions): Rounds {
  const judgeSome = () =>
    db.transaction(async (trx) => {
      const nowMs = clock.now();
      const ids = await claimDue(trx, new Date(nowMs), AT_ONCE);
      if (ids.length > 0) await judging.judge(trx, ids, nowMs);
      return ids.length;
    });
  return new Rounds({
    name: 'heartbeats',
    everyMs: LOOK_MS,
    isDue: () => hasDueRows(db, ['heartbeats'], new Date(clock.now())),
    turn: (isStopped) => workOff(isStopped, AT_ONCE, judgeSome),
    onFailed: (error) => log.warn({ err: error }, 'cannot judge heartbeats, retrying'),
    clock,
  });
}
