import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { pino } from 'pino';
import t from 'tap';
import { openDatabase } from '../src/db/database.js';
import { startEmbeddedPostgres } from '../src/db/embedded/index.js';
import { migrate } from '../src/db/migrate.js';
import { ensurePartitions } from '../src/db/partitions.js';
import type { StoreBatch } from '../src/ingest/index.js';
import { storeBatches } from '../src/ingest/store.js';
import { dispatchStore, findTask, type NewTask } from '../src/modules/probes/store.js';
import { insertNode } from './_support/stored-node.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const log = pino({ level: 'silent' });
const epoch = Buffer.alloc(16, 1);

function aTask(nodeId: string): NewTask {
  const now = Date.now();
  const [id = '', nodeTaskId = ''] = [newId(idPrefixes.probeTask, now), newId(idPrefixes.probeTask, now)].sort();
  return {
    id,
    ownerId: null,
    isTest: false,
    probeType: 'tcp',
    target: '127.0.0.1:80',
    spec: {},
    specJson: '{}',
    deadlineMs: 1_000,
    createdAt: new Date(),
    expiresInMs: 60_000,
    targetKeys: null,
    nodeTasks: [{ id: nodeTaskId, nodeId, refusedCode: null }],
  };
}

function resultOf(nodeId: string, { nodeTasks: [nodeTask] }: NewTask, sequence: number): StoreBatch {
  const row = {
    writer: null,
    sequence,
    taskId: nodeTask?.id ?? '',
    probeType: 'tcp',
    result: { success: true },
    resultJson: '{"success":true}',
    isSuccess: true,
    outcome: 'success',
  };
  return { kind: 'rows', nodeId, sessionId: 'ses_1', epoch, lane: 1, first: sequence, last: sequence, rows: [row] };
}

t.test('a crash of PostgreSQL loses no task that was accepted, with its result or without', async (t) => {
  const dataDir = temporaryDirectory(t);
  // what does not wait for the disk is in memory for ten seconds
  const settings = { fsync: 'off', wal_writer_delay: '10s' };
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings });
  t.teardown(() => postgres.stop());
  const db = openDatabase({
    url: postgres.url,
    poolSize: 2,
    acquireTimeoutMs: 30_000,
    applicationName: 'vantage test',
  });
  t.teardown(() => db.destroy());
  await migrate(db, log);
  await ensurePartitions(db, Date.now());
  const nodeId = await insertNode(db, { session_id: 'ses_1' });
  await db.raw('INSERT INTO ingest_marks (node_id, epoch, lane, mark) VALUES (?, ?, 1, 0)', [nodeId, epoch]);

  const store = dispatchStore(db);
  const [finished, waiting] = [aTask(nodeId), aTask(nodeId)];
  await store.insert([finished]);
  const [stored] = await storeBatches(db, [resultOf(nodeId, finished, 1)]);
  t.match(stored, { kind: 'stored', mark: 1 });
  await store.insert([waiting]);
  t.match(await findTask(db, waiting.id), { id: waiting.id, node_tasks: [{ state: 'pending' }] });

  const startedAt = async () => {
    const { rows } = await db.raw<{ rows: [{ at: string }] }>('SELECT pg_postmaster_start_time()::text AS at');
    return rows[0].at;
  };
  const before = await startedAt();
  const [postmaster = ''] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n');
  // what an immediate shutdown sends: nothing that is in memory is written
  process.kill(Number(postmaster), 'SIGQUIT');
  await until('the database to be back', () =>
    startedAt().then(
      (at) => at !== before,
      () => false,
    ),
  );

  t.match(await findTask(db, finished.id), { node_tasks: [{ state: 'done' }] });
  t.match(await findTask(db, waiting.id), { node_tasks: [{ state: 'pending' }] });
  const [late] = await storeBatches(db, [resultOf(nodeId, waiting, 2)]);
  t.match(late, { kind: 'stored', mark: 2, finished: [{ requestId: waiting.id }] }, 'its result is taken');
});
