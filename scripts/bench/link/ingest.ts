import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { sized } from '../sized.js';
import { figureOf, figureText } from '../statistics.js';
import type { LinkComparison, LinkRow } from './comparison.js';
import { insertPending, writeTasks } from './pending-tasks.js';
import { pingResultJson } from './results.js';
import { type Site, startSite } from './site.js';

const AGENTS = 10;
const ROWS_PER_AGENT = sized(5_000, 50);
const ROWS = AGENTS * ROWS_PER_AGENT;
const ROWS_PER_STATEMENT = 1_000;
const COLUMNS = 'id, task_id, node_id, probe_type, state, expires_at, result, success, finished_at';

/** Results over ten links, beside the same rows put into the same table without anything around. */
export const ingest: LinkComparison = {
  name: 'ingest',
  title: 'ingest: results of ten agents, decoded, checked, stored once, acknowledged',
  question: 'How near does ingest come to inserting the same rows, and does a replay cost less?',
  method: ({ rounds }) =>
    `${rounds} rounds of ${ROWS} results of pings, 1 000 in a frame; all in turns; PostgreSQL waits for its disk`,
  async run({ rounds }) {
    const site = await startSite(AGENTS);
    try {
      await site.fleet.order('connect', { first: 0, count: AGENTS });
      const rates: Record<Way, number[]> = { ingest: [], replay: [], copy: [], unnest: [] };
      // the first round plans statements and fills caches
      for (let round = 0; round <= rounds; round += 1) {
        const seconds = await measure(site);
        if (round > 0) for (const way of ways) rates[way].push(ROWS / seconds[way]);
      }
      return rowsOf(rates);
    } finally {
      await site.stop();
    }
  },
};

const ways = ['ingest', 'replay', 'copy', 'unnest'] as const;
type Way = (typeof ways)[number];

async function measure(site: Site): Promise<Record<Way, number>> {
  const tasks = await insertPending(site, site.nodeIds, ROWS_PER_AGENT);
  await site.fleet.order('prepare', { tasksFile: await writeTasks(site, tasks) });
  await settle(site);
  const before = await countStored(site);
  const first = await site.fleet.order('deliver', {});
  const stored = await countStored(site);
  // refused results cost almost nothing: such a figure would be meaningless
  if (stored - before !== ROWS) throw new Error(`${stored - before} of ${ROWS} results were stored`);
  await settle(site);
  const again = await site.fleet.order('repeat', {});
  if ((await countStored(site)) !== stored) throw new Error('a replay stored rows');
  const copy = await copyRows(site);
  const unnest = await unnestRows(site);
  return { ingest: first.tookMs / 1_000, replay: again.tookMs / 1_000, copy, unnest };
}

/** Vacuums and checkpoints, so that earlier writes do not count in this measurement. */
async function settle({ database }: Site): Promise<void> {
  await database.query('VACUUM probe_node_tasks');
  await database.query('CHECKPOINT');
}

async function countStored({ database }: Site): Promise<number> {
  const { rows } = await database.query<{ count: string }>(
    "SELECT (SELECT count(*) FROM probe_node_tasks WHERE state = 'done') + (SELECT count(*) FROM superseded_results) AS count",
  );
  return Number(rows[0]?.count);
}

function madeRows(nodeIds: readonly string[]): string[][] {
  const json = pingResultJson();
  const at = new Date().toISOString();
  return Array.from({ length: ROWS }, (_, index) => {
    const id = newId(idPrefixes.probeTask);
    return [id, id, nodeIds[index % nodeIds.length] as string, 'ping', 'done', at, json, 'true', at];
  });
}

/** Seconds of one COPY of finished rows, read from a file beside the server. */
async function copyRows(site: Site): Promise<number> {
  const file = join(site.exchange, 'rows.copy');
  await writeFile(
    file,
    madeRows(site.nodeIds)
      .map((row) => `${row.join('\t')}\n`)
      .join(''),
  );
  await chmod(file, 0o644);
  await settle(site);
  const startedMs = performance.now();
  await site.database.query(`COPY probe_node_tasks (${COLUMNS}) FROM '${file}'`);
  return (performance.now() - startedMs) / 1_000;
}

/** Seconds of plain inserts of finished rows over one connection. */
async function unnestRows(site: Site): Promise<number> {
  const rows = madeRows(site.nodeIds);
  await settle(site);
  const client = await site.database.connect();
  const startedMs = performance.now();
  for (let start = 0; start < rows.length; start += ROWS_PER_STATEMENT) {
    const some = rows.slice(start, start + ROWS_PER_STATEMENT);
    await client.query({
      name: 'bench-unnest',
      text: `INSERT INTO probe_node_tasks (${COLUMNS})
        SELECT a, b, c, d, e, f, g::json, h, i FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
          $6::timestamptz[], $7::text[], $8::boolean[], $9::timestamptz[]) AS n(a, b, c, d, e, f, g, h, i)
        ON CONFLICT DO NOTHING`,
      values: Array.from({ length: 9 }, (_, column) => some.map((row) => row[column])),
    });
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  client.release();
  return seconds;
}

function rowsOf(rates: Readonly<Record<Way, readonly number[]>>): LinkRow[] {
  const row = (way: Way, base: Way, what: string, baseline: string, goal: string): LinkRow => {
    const [own, other] = [figureOf(rates[way]), figureOf(rates[base])];
    return {
      what: `${what}, rows/s`,
      ours: figureText(own, 0),
      baseline: `${baseline}: ${figureText(other, 0)}`,
      ratio: (own.median / other.median).toFixed(2),
      goal,
    };
  };
  return [
    row('ingest', 'copy', 'first delivery', 'one COPY', 'at least 0.36'),
    row('ingest', 'unnest', 'first delivery', 'inserts with ON CONFLICT', 'at least 0.7'),
    row('replay', 'ingest', 'all of it again, 0 rows stored', 'first delivery', 'at least 1.5'),
  ];
}
