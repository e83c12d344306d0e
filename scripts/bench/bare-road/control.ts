// Control plane of the bare road: node:http, ws and two connections to the database in DATABASE_URL.
//
//   POST ──► task committed ──► job to every agent, 202 ──► results committed ──► acknowledged ──► the waiting GET answers
//
// No policy, marks, limits, logs or metrics; for as many agents as are connected.
import { randomUUID } from 'node:crypto';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { type WebSocket, WebSocketServer } from 'ws';
import type { SentResult, ToAgent } from './messages.js';
import { TurnBatch } from './turn-batch.js';

interface Task {
  /** Results that are missing, and those that were not 200. */
  missing: number;
  failed: number;
  readonly nodes: number;
  /** The waiting GET. */
  waiting: ServerResponse | null;
}

const insertTasks = await openInserts();
const insertResults = await openInserts();
const tasks = new Map<string, Task>();
const agents = new Set<WebSocket>();

const created = new TurnBatch<{ id: string; url: string; response: ServerResponse }>(async (items) => {
  const ids = items.map(({ id }) => id);
  await insertTasks(
    ids,
    items.map((item) => item.url),
  );
  const frame = JSON.stringify({ jobs: items.map((item) => ({ id: item.id, url: item.url })) } satisfies ToAgent);
  for (const agent of agents) agent.send(frame);
  for (const { id, response } of items) answer(response, 202, { task_id: id });
});

const arrived = new TurnBatch<{ agent: WebSocket; results: readonly SentResult[] }>(async (frames) => {
  const results = frames.flatMap((frame) => frame.results);
  await insertResults(
    results.map(({ id }) => id),
    results.map((result) => JSON.stringify(result)),
  );
  const last = new Map(frames.map(({ agent, results: own }) => [agent, own.at(-1)?.position ?? 0]));
  for (const [agent, acknowledged] of last) agent.send(JSON.stringify({ acknowledged } satisfies ToAgent));
  for (const result of results) finish(result);
});

/** Connects for a prepared statement that inserts the rows of one batch into the one narrow table in one transaction. */
async function openInserts(): Promise<(ids: string[], bodies: string[]) => Promise<unknown>> {
  const client = new pg.Client({ connectionString: process.env['DATABASE_URL'] });
  // a lost connection shows as a failed statement; without a listener it would end the process without a message
  client.on('error', () => {});
  await client.connect();
  await client.query('CREATE TABLE IF NOT EXISTS bare_road (id text NOT NULL, body text NOT NULL)');
  const insert = { name: 'insert', text: 'INSERT INTO bare_road SELECT * FROM unnest($1::text[], $2::text[])' };
  return (ids, bodies) => client.query({ ...insert, values: [ids, bodies] });
}

function finish({ id, status }: SentResult): void {
  const task = tasks.get(id);
  if (task === undefined) return;
  task.missing -= 1;
  if (status !== 200) task.failed += 1;
  if (task.missing === 0 && task.waiting !== null) answerTask(id, task, task.waiting);
}

function answerTask(id: string, task: Task, response: ServerResponse): void {
  tasks.delete(id);
  answer(response, 200, { task_id: id, summary: { success_count: task.nodes - task.failed } });
}

function answer(response: ServerResponse, status: number, data: object): void {
  const body = JSON.stringify({ data });
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}

function create(request: IncomingMessage, response: ServerResponse): void {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (chunk: string) => {
    body += chunk;
  });
  request.on('end', () => {
    const { target } = JSON.parse(body) as { target: string };
    const id = randomUUID();
    tasks.set(id, { missing: agents.size, failed: 0, nodes: agents.size, waiting: null });
    created.add({ id, url: target, response });
  });
}

function waitFor(path: string, response: ServerResponse): void {
  const id = path.slice(path.lastIndexOf('/') + 1, path.indexOf('?'));
  const task = tasks.get(id);
  if (task === undefined) return answer(response, 404, {});
  if (task.missing === 0) return answerTask(id, task, response);
  task.waiting = response;
}

const server = http.createServer((request, response) => {
  if (request.method === 'POST') create(request, response);
  else waitFor(request.url ?? '', response);
});
new WebSocketServer({ server, perMessageDeflate: false }).on('connection', (agent) => {
  agents.add(agent);
  agent.on('close', () => agents.delete(agent));
  agent.on('error', () => {});
  agent.on('message', (frame) => arrived.add({ agent, results: JSON.parse(String(frame)) as SentResult[] }));
});
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
process.once('disconnect', () => process.exit());
