// Agent of the bare road: a WebSocket to the control plane at argv[2], a spool in the directory argv[3], and a measuring
// child. A result is sent while the spool commits it.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { WebSocket } from 'ws';
import type { Job, JobResult, SentResult, ToAgent } from './messages.js';
import type { SpoolCommit } from './spool-thread.js';
import { TurnBatch } from './turn-batch.js';

const [url = '', folder = ''] = process.argv.slice(2);
const child = fork(fileURLToPath(new URL('./child.js', import.meta.url)), [], { serialization: 'advanced' });
const spool = new Worker(new URL('./spool-thread.js', import.meta.url), { workerData: folder });
const link = new WebSocket(url, { perMessageDeflate: false });
let position = 0;
let acknowledged = 0;

const jobs = new TurnBatch<Job>((batch) => child.send(batch));
const rows = new TurnBatch<SentResult>(async (batch) => {
  const committed = new Promise((resolve) => spool.once('message', resolve));
  const commit: SpoolCommit = { acknowledged, rows: batch.map((row) => [row.position, JSON.stringify(row)]) };
  spool.postMessage(commit, []);
  await committed;
});

link.on('message', (frame) => {
  const message = JSON.parse(String(frame)) as ToAgent;
  if ('acknowledged' in message) acknowledged = message.acknowledged;
  else for (const job of message.jobs) jobs.add(job);
});
child.on('message', (results: JobResult[]) => {
  const sent = results.map((result) => ({ ...result, position: ++position }));
  for (const row of sent) rows.add(row);
  link.send(JSON.stringify(sent));
});
function fail(error: Error): void {
  process.stderr.write(`bare agent: ${error.message}\n`);
  process.exit(1);
}

link.once('open', () => process.send?.('connected'));
for (const part of [link, child, spool]) part.on('error', fail);
process.once('disconnect', () => process.exit());
