import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { WebhookReceiver } from './_support/webhook-receiver.js';
import { WebhookWorld } from './_support/webhook-world.js';

t.test('twenty thousand endpoints of a host that hangs do not keep other hosts from being served', async (t) => {
  const warnings: string[] = [];
  const onWarning = ({ message }: Error) => warnings.push(message);
  process.on('warning', onWarning);
  t.teardown(() => process.off('warning', onWarning));
  const world = await WebhookWorld.create(t);
  const hanging = await WebhookReceiver.start(t, () => {}, '127.0.0.2');
  const quick = await WebhookReceiver.start(t);
  const { id } = await world.endpoint(hanging.url);
  await world.endpoint(quick.url);
  for (const [table, column] of [
    ['webhook_endpoints', 'id'],
    ['webhook_queues', 'endpoint_id'],
  ])
    await world.db.raw(
      `INSERT INTO ${table} SELECT (jsonb_populate_record(e, jsonb_build_object('${column}', ${column} || n))).*
       FROM ${table} e, generate_series(1, 19999) AS n WHERE ${column} = ?`,
      [id],
    );
  await world.happens('monitor.down', 'm_1');
  await world.relay.run();
  t.equal((await world.rows()).length, 20_001);
  // of a thousand accounts, which have twenty each
  await world.db.raw(`INSERT INTO owners SELECT (jsonb_populate_record(o, jsonb_build_object('id', 'usr_' || n))).*
    FROM owners o, generate_series(1, 1000) AS n WHERE o.id = '${world.userId}'`);
  await world.db.raw(
    `UPDATE webhook_endpoints SET owner_id = 'usr_' || 1 + abs(hashtext(id)) % 1000 WHERE url = '${hanging.url}'`,
  );
  await world.db.raw(
    'UPDATE webhook_deliveries d SET owner_id = e.owner_id FROM webhook_endpoints e WHERE e.id = d.endpoint_id',
  );
  // those of the host that hangs have waited longer
  await world
    .db('webhook_queues')
    .whereNot({ host: '127.0.0.1' })
    .update({ due_at: new Date(0) });
  await world.newSender().run();
  await until('the event', () => quick.events.length === 1);
  t.ok(hanging.events.length <= 256, `${hanging.events.length} requests`);
  t.same(warnings, [], 'Node has nothing to say about so many');
});
