import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t from 'tap';
import { Outbox } from '../src/bus/outbox.js';
import { PostgresBus } from '../src/bus/postgres-bus.js';
import { createTestDatabase } from './_support/database.js';
import { until } from './_support/until.js';

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

t.test('a replica listens on one channel of its own and one of all, however many nodes it holds', async (t) => {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  const log = pino({ level: 'silent' });
  const options = { isListening: true, hasOthers: () => true, log, clock: systemClock };
  const bus = new PostgresBus({ url, replicaId: 'rep_a', ...options });
  t.teardown(() => bus.stop());
  await bus.start();
  const { rows } = await db.raw(
    `SELECT query FROM pg_stat_activity WHERE application_name = 'vantage-bus' AND datname = current_database()`,
  );
  t.strictSame(rows, [{ query: 'LISTEN "vantage_all"; LISTEN "vantage_rep_a"' }]);
});

t.test('messages leave on a connection of their own, outside every writer’s transaction', async (t) => {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  const log = pino({ level: 'silent' });
  const options = { url, isListening: true, hasOthers: () => true, log, clock: systemClock };
  const [a, b] = [
    new PostgresBus({ ...options, replicaId: 'rep_a' }),
    new PostgresBus({ ...options, replicaId: 'rep_b' }),
  ];
  for (const bus of [a, b]) t.teardown(() => bus.stop());
  const heard: string[] = [];
  b.onMessage(({ ids }) => void heard.push(...ids));
  await Promise.all([a.start(), b.start()]);
  await db.transaction(async (trx) => {
    await trx.raw('SELECT pg_current_xact_id()');
    a.broadcast({ type: 'finished', ids: ['pt_1'] });
    // a NOTIFY inside this transaction would wait for its end
    await until('the message, while the transaction is open', () => heard.length === 1);
  });
  t.strictSame(heard, ['pt_1']);
});
