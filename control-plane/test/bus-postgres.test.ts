import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t from 'tap';
import { Envelopes } from '../src/bus/envelopes.js';
import { PostgresBus } from '../src/bus/postgres-bus.js';
import { UnsentMessages } from '../src/bus/unsent-messages.js';
import { busSecretKey } from './_support/bus-driver.js';
import { createTestDatabase } from './_support/database.js';

t.test('no message is larger than PostgreSQL can carry', async (t) => {
  const unsent = new UnsentMessages();
  const replicaId = 'rep_1111111111111111111111';
  const envelopes = new Envelopes({ replicaId, secretKey: busSecretKey, clock: systemClock });
  const id = (index: number) => `pat_${String(index).padStart(22, 'x')}`;
  // a request names node, monitor, generation and request
  for (const length of [30, 120]) {
    const ids = Array.from({ length: 1_000 }, (_, index) => id(index).padEnd(length, 'x'));
    unsent.add('vantage_all', { type: 'check-now', ids });
    const messages = unsent.take();
    t.strictSame(
      messages.flatMap(({ message }) => message.ids),
      ids,
    );
    const sizes = messages.map(({ channel, message }) => Buffer.byteLength(envelopes.seal(channel, message)));
    t.ok(Math.max(...sizes) < 8_000, `${Math.max(...sizes)} bytes`);
  }
  t.equal(unsent.isEmpty, true);
});

t.test(
  'a replica listens on a channel of its own and on that of all, however many nodes are linked to it',
  async (t) => {
    const { db, url } = await createTestDatabase(t, { migrate: false });
    const log = pino({ level: 'silent' });
    const options = { secretKey: busSecretKey, isListening: true, hasOthers: () => true, log, clock: systemClock };
    const bus = new PostgresBus({ url, replicaId: 'rep_a', ...options });
    t.teardown(() => bus.stop());
    await bus.start();
    const { rows } = await db.raw(
      `SELECT query FROM pg_stat_activity WHERE application_name = 'vantage-bus' AND datname = current_database()`,
    );
    t.strictSame(rows, [{ query: 'LISTEN "vantage_all"; LISTEN "vantage_rep_a"' }]);
  },
);

t.test('messages are sent on a separate connection, outside every writer’s transaction', async (t) => {
  const { db, url } = await createTestDatabase(t, { migrate: false });
  const log = pino({ level: 'silent' });
  const options = { url, secretKey: busSecretKey, isListening: true, hasOthers: () => true, log, clock: systemClock };
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
