import { setTimeout as pause } from 'node:timers/promises';
import type { LinkComparison, LinkRow } from '../link/comparison.js';
import { startWatchedSite } from '../monitors/watched-site.js';
import { sized } from '../sized.js';
import { countStatements, type Statement } from '../statements.js';

const SIZES = sized([1_000, 100_000], [10, 20]);
const NODES = 10;
const SECONDS = sized(60, 1);
/** Time after a start until sweeps have found their pace. */
const SETTLE_MS = sized(30_000, 500);

/** Statements of alerts and webhooks while nothing happens. */
export const idle: LinkComparison = {
  name: 'idle',
  title: 'statements of alerts and webhooks while nothing happens',
  question: 'Does an idle replica look for work once a second at most, whatever the number of monitors?',
  method: () =>
    `one replica, ${SECONDS} s without a check or an event, ${SETTLE_MS / 1_000} s after its start; statements on the tables of events, alerts and webhooks, counted by pg_stat_statements`,
  async run() {
    const found: Idle[] = [];
    for (const monitors of SIZES) found.push(await measure(monitors));
    const [least, most] = found;
    if (least === undefined || most === undefined) return [];
    return [
      ...found.map(({ monitors, busiest }) =>
        row(`${monitors} monitors, calls a second of the most frequent statement`, busiest.toFixed(2), 'at most 1'),
      ),
      ...found.map(({ monitors, calls }) =>
        row(`${monitors} monitors, calls a second of all of them`, calls.toFixed(1), ''),
      ),
      {
        ...row(`${most.monitors} monitors, time in PostgreSQL, ms a second`, most.ms.toFixed(2), ''),
        baseline: `${least.monitors} monitors: ${least.ms.toFixed(2)}`,
        ratio: (most.ms / least.ms).toFixed(2),
      },
    ];
  },
};

interface Idle {
  readonly monitors: number;
  readonly busiest: number;
  readonly calls: number;
  readonly ms: number;
}

async function measure(monitors: number): Promise<Idle> {
  const watched = await startWatchedSite({ monitors, nodes: NODES, perMonitor: 1, intervalSeconds: 86_400 });
  try {
    await watched.site.database.query("UPDATE monitor_states SET health = 'up'");
    await watched.site.database.query('VACUUM ANALYZE monitor_states');
    const counter = await countStatements(watched.site);
    await pause(SETTLE_MS);
    await counter.reset();
    await pause(SECONDS * 1_000);
    const own = (await counter.read()).filter(isOwn);
    const sum = (of: (statement: Statement) => number) => own.reduce((all, one) => all + of(one), 0) / SECONDS;
    return {
      monitors,
      busiest: Math.max(...own.map(({ calls }) => calls)) / SECONDS,
      calls: sum(({ calls }) => calls),
      ms: sum(({ totalMs }) => totalMs),
    };
  } finally {
    await watched.stop();
  }
}

function isOwn({ query }: Statement): boolean {
  return /\b(?:alerts|alert_\w+|webhook_\w+|outbox\w*)\b/.test(query);
}

function row(what: string, ours: string, goal: string): LinkRow {
  return { what, ours, baseline: '', ratio: '', goal };
}
