import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { BenchError, type Part, rowOf, sized } from '../harness.js';
import { msOf } from '../statistics.js';
import { pingResultJson } from './results.js';
import { type Site, startSite } from './site.js';

const AGENTS = 10;
const ROWS_PER_AGENT = sized(5_000, 50);
const ROWS = AGENTS * ROWS_PER_AGENT;
const ROWS_PER_STATEMENT = 1_000;
const COLUMNS = 'id, task_id, node_id, probe_type, state, expires_at, result, success, finished_at';

/** Results over ten links, next to the same rows put into the same table without anything around. */
export const ingest: Part = {
  name: 'ingest',
  title: 'results of ten agents, decoded, checked, stored once, acknowledged',
  question: 'How near does ingest come to inserting the same rows, and does a replay cost less?',
  method: ({ rounds }) =>
    `${rounds} rounds of ${ROWS} results of pings, 1 000 in a frame; all in turns; PostgreSQL waits for its disk`,
  async run({ rounds }, stops) {
    const site = await startSite(AGENTS, stops);
    await site.fleet.order({ kind: 'connect' });
    const rates = { ingest: [] as number[], replay: [] as number[], copy: [] as number[], unnest: [] as number[] };
    // the first round plans statements and fills caches
    for (let round = 0; round <= rounds; round += 1) {
      const found = await measure(site);
      if (round === 0) continue;
      for (const way of ['ingest', 'replay', 'copy', 'unnest'] as const) rates[way].push((1_000 * ROWS) / found[way]);
    }
    const first = { ours: rates.ingest, digits: 0 };
    return [
      rowOf('first delivery, rows/s', { ...first, baseline: rates.copy, against: 'one COPY', goal: 'at least 0.36' }),
      rowOf('first delivery, rows/s', {
        ...first,
        baseline: rates.unnest,
        against: 'inserts with ON CONFLICT',
        goal: 'at least 0.7',
      }),
      rowOf('all of it again, 0 rows stored, rows/s', {
        ours: rates.replay,
        baseline: rates.ingest,
        against: 'first delivery',
        digits: 0,
        goal: 'at least 1.5',
      }),
    ];
  },
};

/** Milliseconds of each way. */
async function measure(site: Site): Promise<Record<'ingest' | 'replay' | 'copy' | 'unnest', number>> {
  await site.fleet.order({ kind: 'prepare', tasksFile: await insertPending(site) });
  await settle(site);
  const before = await countStored(site);
  const first = await site.fleet.order({ kind: 'deliver' });
  const stored = await countStored(site);
  // refused results cost almost nothing: such a figure would be meaningless
  if (stored - before !== ROWS) throw new BenchError(`${stored - before} of ${ROWS} results were stored`);
  await settle(site);
  const again = await site.fleet.order({ kind: 'deliver' });
  if ((await countStored(site)) !== stored) throw new BenchError('a replay stored rows');
  return { ingest: first, replay: again, copy: await copyRows(site), unnest: await unnestRows(site) };
}

/** Stores node tasks that wait for their node. @returns a file with their ids, by node */
async function insertPending({ database, nodeIds, exchange }: Site): Promise<string> {
  const ids = nodeIds.map(() => Array.from({ length: ROWS_PER_AGENT }, () => newId(idPrefixes.probeTask)));
  for (const [index, own] of ids.entries())
    await database.query(
      `INSERT INTO probe_node_tasks (id, task_id, node_id, probe_type, expires_at)
       SELECT id, id, $2, 'ping', now() + interval '1 hour' FROM unnest($1::text[]) AS n(id)`,
      [own, nodeIds[index]],
    );
  const file = join(exchange, 'tasks.json');
  await writeFile(file, JSON.stringify(ids));
  return file;
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

/** Duration of one COPY of finished rows, read from a file on the server's disk. */
async function copyRows(site: Site): Promise<number> {
  const file = join(site.exchange, 'rows.copy');
  const lines = madeRows(site.nodeIds).map((row) => `${row.join('\t')}\n`);
  await writeFile(file, lines.join(''));
  await chmod(file, 0o644);
  await settle(site);
  return msOf(() => site.database.query(`COPY probe_node_tasks (${COLUMNS}) FROM '${file}'`));
}

/** Duration of plain inserts of finished rows over one connection. */
async function unnestRows(site: Site): Promise<number> {
  const rows = madeRows(site.nodeIds);
  await settle(site);
  const client = await site.database.connect();
  const ms = await msOf(async () => {
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
  });
  client.release();
  return ms;
}
