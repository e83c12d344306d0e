import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { CheckReportSchema, MissedReportSchema } from '@vantage/shared/monitor-state/check-report.js';
import { assignmentsDigest } from '@vantage/shared/monitor-types/assignments-digest.js';
import { laneCode } from '@vantage/shared/protocol/codec.js';
import { compileSchema } from '@vantage/shared/validation.js';
import Database from 'better-sqlite3';
import t, { type Test } from 'tap';
import { statusPath } from '../src/status-file.js';
import { runCommand } from './_support/cli.js';
import { startDnsServer, zone } from './_support/dns-server.js';
import { enrolledStateDir, startAgent } from './_support/enrolled-agent.js';
import { FakeControlPlane, type FakePeer } from './_support/fake-control-plane.js';
import { startHttpServer } from './_support/http-server.js';
import { hasBrowser, noBrowser } from './_support/page-processes.js';

// A real agent process that watches a real server.

const schemas = { check: compileSchema(CheckReportSchema), missed: compileSchema(MissedReportSchema) };

async function startTarget(t: Test): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined).end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function aSpec(target: string) {
  return { type: 'tcp', target, config: {}, interval_s: 1, consecutive_fail: 2, consecutive_ok: 1 };
}

/** The next batch of lane check, acknowledged: its reports, each valid by its schema, with their numbers. */
async function nextReports(t: Test, peer: FakePeer) {
  const batch = await peer.next('results');
  t.equal(batch.lane, laneCode('check'));
  peer.ack(batch);
  return batch.results.map(({ kind, resultJson }, index) => {
    const body: unknown = JSON.parse(Buffer.from(resultJson).toString());
    const checked = schemas[kind as 'check' | 'missed'](body);
    if (!checked.ok) throw new Error(JSON.stringify(checked.details));
    return { kind, sequence: batch.first + index, ...checked.value };
  });
}

/** The next check that is reported; slots that a machine with much to do misses are passed over. */
async function nextCheck(t: Test, peer: FakePeer) {
  for (;;) {
    for (const report of await nextReports(t, peer)) if ('slot_ms' in report) return report;
  }
}

/** True once the schedule of that agent has been saved. */
function keepsAssignment(stateDir: string): boolean {
  const path = join(stateDir, 'schedule.db');
  // before its log has something, the file is still being created: no one may hold its lock
  if ((statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return false;
  const database = new Database(path, { readonly: true });
  try {
    // the version is written last of the tables
    if (database.pragma('user_version', { simple: true }) === 0) return false;
    return database.prepare('SELECT 1 FROM assignments').get() !== undefined;
  } finally {
    database.close();
  }
}

t.test('an assigned monitor is checked by the real engine, and its reports are delivered', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const monitorId = newId(idPrefixes.monitor);
  const agent = startAgent(t, stateDir);
  const peer = await controlPlane.nextOpenPeer();
  t.equal(peer.proof.assignmentsDigest.length, 0, 'it watches nothing yet');
  peer.assign([{ monitorId, generation: 7, spec: aSpec(await startTarget(t)) }]);
  t.match(await nextCheck(t, peer), {
    kind: 'check',
    monitor_id: monitorId,
    generation: 7,
    outcome: 'ok',
    error: null,
    state: { verdict: 'ok', streak: 1 },
  });

  const readStatus = () => JSON.parse(readFileSync(statusPath(stateDir), 'utf8'));
  await until('it stands in the status', () => readStatus().schedule.assignments === 1);
  const status = await runCommand(t, ['status', '--json', '--state-dir', stateDir]);
  t.match(JSON.parse(status.stdout), { agent: { schedule: { assignments: 1 } } });
  agent.process.kill('SIGTERM');
  t.match(await agent.ended, { code: 0 });
});

t.test('an agent queries the sources that its operator names, and reports if it has a browser', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const listed = [{ type: 'A', name: '9.114.0.203.bl.test', data: '127.0.0.4' } as const];
  const { endpoint } = await startDnsServer(t, zone(listed));
  const env = { VANTAGE_DNSBL_ZONES: 'bl.test', VANTAGE_DNSBL_SERVERS: `127.0.0.1:${endpoint.port}` };
  startAgent(t, stateDir, { env });
  const peer = await controlPlane.nextOpenPeer();
  t.equal(peer.hello.capabilities?.includes('browser'), hasBrowser);
  const spec = { ...aSpec('203.0.114.9'), type: 'rbl', interval_s: 86_400 };
  peer.assign([{ monitorId: newId(idPrefixes.monitor), generation: 1, spec }]);
  const message = /203\.0\.114\.9 in bl\.test is "127\.0\.0\.4"/;
  t.match(await nextCheck(t, peer), { generation: 1, outcome: 'failed', error: { message } });
});

t.test('an agent that has a browser loads pages as configured', { skip: noBrowser }, async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const { port } = await startHttpServer(t, (_request, response) => {
    response.setHeader('content-type', 'text/html').end('<title>Shop</title><p id=cart>3 things');
  });
  const stateDir = await enrolledStateDir(t, controlPlane);
  startAgent(t, stateDir);
  const peer = await controlPlane.nextOpenPeer();
  const config = { selector: '#cart', text: '3 things' };
  const spec = { ...aSpec(`http://127.0.0.1:${port}/`), type: 'browser', config, interval_s: 86_400 };
  peer.assign([{ monitorId: newId(idPrefixes.monitor), generation: 1, spec }]);
  t.match(await nextCheck(t, peer), { generation: 1, outcome: 'ok', status_code: 200, error: null });
});

t.test('a requested check is made in addition to the schedule, and names the request', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const monitorId = newId(idPrefixes.monitor);
  startAgent(t, stateDir);
  const peer = await controlPlane.nextOpenPeer();
  const spec = { ...aSpec(await startTarget(t)), interval_s: 86_400 };
  peer.assign([{ monitorId, generation: 7, spec }]);
  t.equal((await nextCheck(t, peer)).request, undefined, 'the one of its slot');
  const askedAt = Date.now();
  peer.send({ checkNow: { monitorId, generation: 7, request: 'ask_1' } });
  const asked = await nextCheck(t, peer);
  t.match(asked, { request: 'ask_1', state: null, outcome: 'ok', late_ms: 0 });
  t.ok(asked.slot_ms > askedAt - 10_000 && asked.slot_ms < Date.now() + 10_000, 'of now');
});

t.test('a restarted agent continues without instructions, and reports its newest states first', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const monitorId = newId(idPrefixes.monitor);
  const first = startAgent(t, stateDir);
  const peer = await controlPlane.nextOpenPeer();
  peer.assign([{ monitorId, generation: 1, spec: aSpec(await startTarget(t)) }]);
  // the first one is at its real time
  await nextCheck(t, peer);
  const before = await nextCheck(t, peer);
  first.process.kill('SIGTERM');
  await first.ended;

  startAgent(t, stateDir);
  const again = await controlPlane.nextOpenPeer();
  t.same(Buffer.from(again.proof.assignmentsDigest), assignmentsDigest([{ monitorId, generation: 1 }]));
  const { states } = await again.next('states');
  t.match(states, [{ kind: 'check', subject: monitorId, generation: 1 }]);
  t.equal((await nextCheck(t, again)).slot_ms % 1000, before.slot_ms % 1000, 'in phase');
});

t.test('a killed agent reports each slot once, as checked or as missed', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const monitorId = newId(idPrefixes.monitor);
  const slots: number[] = [];
  let taken = 0;
  const collect = async (peer: FakePeer) => {
    for (const report of await nextReports(t, peer)) {
      // what was not seen acknowledged is sent again
      if (report.sequence <= taken) continue;
      taken = report.sequence;
      if ('slot_ms' in report) slots.push(report.slot_ms);
      else for (let index = 0; index < report.count; index += 1) slots.push(report.first_slot_ms + index * 1000);
    }
  };
  const killed = startAgent(t, stateDir);
  const peer = await controlPlane.nextOpenPeer();
  peer.assign([{ monitorId, generation: 1, spec: aSpec(await startTarget(t)) }]);
  // what was assigned is kept a second later: without it the next process would wait for the control plane
  while (slots.length < 3 || !keepsAssignment(stateDir)) await collect(peer);
  killed.process.kill('SIGKILL');
  await killed.ended;

  startAgent(t, stateDir);
  const again = await controlPlane.nextOpenPeer();
  t.same(Buffer.from(again.proof.assignmentsDigest), assignmentsDigest([{ monitorId, generation: 1 }]));
  // there where the first process had time to keep one
  again.passOver('states');
  const before = slots.length;
  // a check that takes longer than its slot is reported after those that it cost
  const inOrder = () => slots.toSorted((a, b) => a - b);
  // the first check is at its real time, within a slot before the second
  const expected = () => {
    const [own = 0, next = 0] = inOrder();
    return slots.map((_, index) => (index === 0 ? Math.max(own, next - 1000) : next + (index - 1) * 1000));
  };
  const isWhole = () => inOrder().join() === expected().join();
  while (slots.length < before + 3 || (!isWhole() && slots.length < before + 300)) await collect(again);
  t.same(inOrder(), expected());
});
