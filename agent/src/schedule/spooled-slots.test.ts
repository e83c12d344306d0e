import { phaseOf, slotStart } from '@vantage/shared/monitor-state/slots.js';
import { encodeResult } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { openSpool } from '../spool/_support/spool-fixture.js';
import { anAssignment, monitorId, NODE_ID } from './_support/a-schedule.js';
import { withSpooled } from './spooled-slots.js';
import type { StoredRow } from './stored-schedule.js';

const grid = { intervalMs: 60_000, phaseMs: phaseOf(monitorId(0), NODE_ID, 60_000) };
const slotMs = (slot: number) => slotStart(29_000_000 + slot, grid);
const ok = { verdict: 'ok', since_ms: 1, streak: 1 };

function aRow(done: number, running: number | null = null): StoredRow {
  const number = (slot: number) => 29_000_000 + slot;
  return {
    ...anAssignment(0),
    firstMs: null,
    done: number(done),
    running: running === null ? null : number(running),
    stateJson: '{}',
  };
}

function aCheck(slot: number, fields: object = {}) {
  const body = {
    monitor_id: monitorId(0),
    generation: 1,
    slot_ms: slotMs(slot),
    outcome: 'failed',
    error: { code: 'tcp_refused', message: '' },
    state: ok,
    ...fields,
  };
  return { kind: 'check', body };
}

function aMissed(first: number, last: number) {
  const span = { first_slot_ms: slotMs(first), last_slot_ms: slotMs(last), count: last - first + 1 };
  return { kind: 'missed', body: { monitor_id: monitorId(0), generation: 1, ...span } };
}

function encoded({ kind, body }: ReturnType<typeof aCheck | typeof aMissed>): Uint8Array {
  const resultJson = Buffer.from(JSON.stringify(body));
  return encodeResult({ kind, resultJson, finishedAtMs: 0, clockOffsetMs: 0, uncertaintyMs: 0 });
}

t.test(
  'later slots in the spool count as reported, and those that ran when the agent was killed are still open',
  async (t) => {
    for (const { name, stored, reports, done, running, bad } of [
      { name: 'nothing later', stored: aRow(5), reports: [aCheck(4)], done: 5, running: null, bad: 1 },
      { name: 'checks', stored: aRow(5), reports: [aCheck(6), aCheck(7)], done: 7, running: null, bad: 2 },
      { name: 'the one that ran is told', stored: aRow(5, 5), reports: [aCheck(5)], done: 5, running: null, bad: 1 },
      {
        name: 'one ran while others were missed',
        stored: aRow(5),
        reports: [aMissed(7, 9)],
        done: 9,
        running: 6,
        bad: 0,
      },
      { name: 'it had run before', stored: aRow(5, 5), reports: [aMissed(6, 9)], done: 9, running: 5, bad: 0 },
      {
        name: 'another generation',
        stored: aRow(5),
        reports: [aCheck(9, { generation: 2 })],
        done: 5,
        running: null,
        bad: 0,
      },
      {
        name: 'outside the grid',
        stored: aRow(5),
        reports: [aCheck(6), aCheck(9, { state: null })],
        done: 6,
        running: null,
        bad: 1,
      },
    ]) {
      const spool = await openSpool(t);
      await Promise.all(reports.map((report) => spool.append('check', encoded(report)).durable));
      const {
        rows: [row],
      } = await withSpooled({ rows: [stored], lease: null }, spool, NODE_ID);
      const relative = (slot: number | null | undefined) => (slot ?? null) && Number(slot) - 29_000_000;
      t.same([relative(row?.done), relative(row?.running)], [done, running], name);
      t.equal(JSON.parse(row?.stateJson ?? '').failed?.bad ?? 0, bad, `${name}: the state goes on`);
    }
  },
);

t.test('the last slot of a monitor that the file lost is read from the spool', async (t) => {
  const spool = await openSpool(t);
  const reports = [aCheck(7), aMissed(3, 5), aCheck(9, { state: null })];
  await Promise.all(reports.map((report) => spool.append('check', encoded(report)).durable));
  const { rows, reportedMs } = await withSpooled({ rows: [], lease: null }, spool, NODE_ID);
  t.same(rows, []);
  t.same([...reportedMs], [[monitorId(0), slotMs(7)]]);
});

t.test('a spool that cannot be read, or holds something else, keeps no schedule from going on', async (t) => {
  const stored = { rows: [aRow(5)], lease: null };
  const state = () => ({ task: { last: 0, acked: 0 }, check: { last: 3, acked: 0 } });
  const asItWas = { ...stored, reportedMs: new Map() };
  t.same(await withSpooled(stored, { state, read: () => Promise.reject(new Error('EIO')) }, NODE_ID), asItWas);
  const odd = Buffer.from('\xff\xff\xff\xff\xff');
  t.same(await withSpooled(stored, { state, read: async () => [{ sequence: 3, payload: odd }] }, NODE_ID), asItWas);
});
