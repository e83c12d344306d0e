import { type Clock, systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { Outbox } from '../src/bus/outbox.js';
import { PostgresBus } from '../src/bus/postgres-bus.js';
import { testBusContract } from './_support/bus-contract.js';
import { createTestDatabase } from './_support/database.js';
import { FakeClock } from './_support/fake-clock.js';
import { until } from './_support/until.js';

interface Options {
  readonly clock?: Clock;
  readonly hasOthers?: boolean;
}

async function postgres(t: Test) {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  const open = (replicaId: string, { clock = systemClock, hasOthers = true }: Options = {}) => {
    const bus = new PostgresBus({
      url,
      replicaId,
      isListening: true,
      hasOthers: () => hasOthers,
      log: pino({ level: 'silent' }),
      clock,
    });
    t.teardown(() => bus.stop());
    return bus;
  };
  const connections = async () =>
    (await db('pg_stat_activity').where({ application_name: 'vantage-bus', datname: db.raw('current_database()') }))
      .length;
  const cutAll = async () => {
    await db.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'vantage-bus' AND datname = current_database()`,
    );
  };
  return { db, open, cutAll, connections };
}

testBusContract('postgres', postgres);

t.test('what somebody else puts on the channel, or a newer version, does no harm', async (t) => {
  const { db, open } = await postgres(t);
  const bus = open('rep_a');
  const heard: unknown[] = [];
  bus.onMessage((message) => heard.push(message));
  await bus.start();
  const payloads = [
    'hello',
    '',
    'null',
    '{"from":"rep_b"}',
    '{"from":"rep_b","message":{"type":"jobs"}}',
    '{"from":"rep_b","message":{"type":"dance","ids":[]}}',
    '{"from":1,"message":{"type":"jobs","ids":["x"]}}',
    '{"from":"rep_b","message":{"type":"jobs","ids":[1]}}',
  ];
  for (const payload of payloads) await db.raw(`SELECT pg_notify('vantage_all', ?)`, [payload]);
  await db.raw(`SELECT pg_notify('vantage_all', ?)`, ['{"from":"rep_b","message":{"type":"jobs","ids":["pt_1"]}}']);
  await until('the good one', () => heard.length > 0);
  t.strictSame(heard, [{ type: 'jobs', ids: ['pt_1'] }]);
});

t.test('who is alone broadcasts to nobody', async (t) => {
  const { open } = await postgres(t);
  const [alone, other] = [open('rep_a', { hasOthers: false }), open('rep_b')];
  const heard: unknown[] = [];
  other.onMessage((message) => heard.push(message));
  await Promise.all([alone.start(), other.start()]);
  alone.broadcast({ type: 'nodes', ids: ['n_1'] });
  alone.send('rep_b', { type: 'jobs', ids: ['pt_1'] });
  await until('the message', () => heard.length > 0);
  t.strictSame(heard, [{ type: 'jobs', ids: ['pt_1'] }]);
});

t.test('what is said while the connection is down is sent when it is back', async (t) => {
  const { open, cutAll, connections } = await postgres(t);
  const clock = new FakeClock();
  const [a, b] = [open('rep_a', { clock }), open('rep_b')];
  const heard: unknown[] = [];
  b.onMessage((message) => heard.push(message));
  await a.start();
  await cutAll();
  await until('the retry to be waited for', () => clock.pendingTimers === 1);
  await b.start();
  a.send('rep_b', { type: 'jobs', ids: ['pt_1'] });
  clock.advance(100);
  await until('the message', () => heard.length > 0);
  t.equal(await connections(), 2);
});

t.test('a bus that can’t start, or is stopped while it reconnects, leaves nothing behind', async (t) => {
  const { open, cutAll, connections } = await postgres(t);
  const clock = new FakeClock();
  const unreachable = new PostgresBus({
    url: 'postgres://127.0.0.1:1/none',
    replicaId: 'rep_x',
    isListening: true,
    hasOthers: () => true,
    log: pino({ level: 'silent' }),
    clock,
  });
  await t.rejects(unreachable.start(), { code: 'ECONNREFUSED' });
  t.equal(clock.pendingTimers, 0, 'it does not go on trying');
  const bus = open('rep_a', { clock });
  await bus.start();
  await cutAll();
  await until('the retry to be waited for', () => clock.pendingTimers === 1);
  clock.advance(100);
  await bus.stop();
  // by the time this one has its connection, so would the other one have had it
  await open('rep_b').start();
  await until('the only connection to be the other one’s', async () => (await connections()) === 1);
  t.equal(clock.pendingTimers, 0);
});

t.test('no message is larger than PostgreSQL carries', async (t) => {
  const outbox = new Outbox();
  const ids = Array.from({ length: 1_000 }, (_, index) => `pat_${String(index).padStart(22, 'x')}`);
  outbox.add('vantage_all', { type: 'replicas', ids });
  const messages = outbox.take();
  t.strictSame(
    messages.flatMap(({ message }) => message.ids),
    ids,
  );
  for (const { message } of messages) {
    const payload = JSON.stringify({ from: 'rep_1111111111111111111111', message });
    t.ok(Buffer.byteLength(payload) < 8_000, `${payload.length} bytes`);
  }
  t.equal(outbox.isEmpty, true);
});
