import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { countPending } from '../src/modules/webhooks/deliveries/delivery-store.js';
import { type Reply, status, WebhookReceiver } from './_support/webhook-receiver.js';
import { WebhookWorld } from './_support/webhook-world.js';

const HOURS = [5 / 3_600, 5 / 60, 0.5, 2, 5, 10, 14, 20, 24];
const ids = (receiver: WebhookReceiver) => receiver.events.map(({ headers }) => headers['webhook-id']);

const newWorld = await WebhookWorld.oneAfterAnother(t);

t.test('an event that fails is sent ten times within 75.6 hours, always under one id, and fails then', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, status(500, { 'x-reason': 'broken' }, 'no'));
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  for (const [index, hours] of HOURS.entries()) {
    t.equal(receiver.events.length, index + 1);
    t.match(await world.rows(), [{ status: 'retrying', attempt_count: index + 1 }]);
    await world.pass(hours * 0.99);
    await world.settle();
    t.equal(receiver.events.length, index + 1, 'not before its time');
    await world.pass(hours * 0.02);
    await world.settle();
  }
  t.equal(receiver.events.length, 10);
  t.equal(new Set(ids(receiver)).size, 1);
  t.equal(new Set(receiver.events.map(({ headers }) => headers['webhook-timestamp'])).size, 10);
  t.equal(new Set(receiver.events.map(({ text }) => text)).size, 1, 'the same bytes');
  const [row] = await world.rows();
  t.match(row, { status: 'failed', due_at: null });
  t.equal(row.attempts.length, 10);
  t.match(row.attempts[0], { status_code: 500, error: 'status 500', response: 'no' });
  t.equal(row.attempts[0].response_headers['x-reason'], 'broken');
  await world.pass(48);
  await world.settle();
  t.equal(receiver.events.length, 10, 'no further attempt');
});

t.test('an endpoint that fails for ten minutes gets each event once it is back, and none again', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, status(500));
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  await world.pass(10 / 60);
  receiver.reply = status(204);
  await world.settle();
  t.equal(receiver.events.length, 2);
  t.match(await world.rows(), [{ status: 'delivered', attempt_count: 2 }]);
  await world.pass(24);
  await world.settle();
  t.equal(receiver.events.length, 2);
});

t.test('responses that state a time for the next attempt, or that end the attempts, are obeyed', async (t) => {
  const cases: readonly (readonly [string, Reply, object])[] = [
    ['Retry-After', status(503, { 'retry-after': '60' }), { status: 'retrying', waitMs: 60_000 }],
    ['Retry-After of a year', status(429, { 'retry-after': '31536000' }), { status: 'retrying', waitMs: 86_400_000 }],
    ['Retry-After yesterday', status(503, { 'retry-after': 'yesterday' }), { status: 'retrying', waitMs: 5_000 }],
    ['abort', status(500, { 'webhook-delivery': 'abort-message' }), { status: 'failed', waitMs: null }],
    ['gone', status(410), { status: 'failed', waitMs: null }],
    ['a redirect', status(302, { location: '/other' }), { status: 'retrying', waitMs: 5_000 }],
    ['a broken connection', (_, response) => void response.destroy(), { status: 'retrying', waitMs: 5_000 }],
    [
      'nothing that is HTTP',
      (_, response) => void response.socket?.end('hello\r\n\r\n'),
      { status: 'retrying', waitMs: 5_000 },
    ],
  ];
  const world = await newWorld(t);
  const made = [];
  for (const [name, reply, wanted] of cases) {
    const receiver = await WebhookReceiver.start(t, reply);
    made.push({ name, wanted, receiver, ...(await world.endpoint(receiver.url)) });
  }
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  for (const { name, wanted, receiver, id } of made) {
    const [row] = await world.rows().where({ endpoint_id: id });
    const waitMs = row.due_at === null ? null : row.due_at.getTime() - world.clock.now();
    t.same({ status: row.status, waitMs }, wanted, name);
    t.equal(receiver.events.length, 1, `${name}: one request`);
  }
});

t.test('an endless response is cut, and an attempt without a response ends after 15 seconds', async (t) => {
  const world = await newWorld(t);
  const endless = await WebhookReceiver.start(t, (_, response) => {
    const more = () => {
      if (response.destroyed) return;
      if (response.write('x\0'.repeat(8_192))) setImmediate(more);
      else response.once('drain', more);
    };
    more();
  });
  const hanging = await WebhookReceiver.start(t, () => {});
  await world.endpoint(endless.url);
  const { id } = await world.endpoint(hanging.url);
  await world.happens('monitor.down', 'm_1');
  const sender = world.newSender();
  await world.relay.run();
  await sender.run();
  await until('both requests', () => endless.events.length + hanging.events.length === 2);
  await until('the cut response', async () => (await world.rows().where({ status: 'delivered' })).length === 1);
  const [delivered] = await world.rows().where({ status: 'delivered' });
  t.equal(delivered.attempts[0].response.length, 4_096);
  world.clock.advance(15_000);
  await sender.idle();
  const [timedOut] = await world.rows().where({ endpoint_id: id });
  t.match(timedOut, { status: 'retrying', attempts: [{ status_code: null, error: /15 s/, response: null }] });
});

t.test('an owner is warned after a day of failures, and the endpoint is disabled after five', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, status(500));
  const { id } = await world.endpoint(`${receiver.url}?token=hidden`);
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  for (let hour = 0; hour < 120; hour += 4) {
    await world.pass(4);
    if (hour === 60) await world.happens('monitor.down', 'm_2');
    await world.settle();
    if (hour < 20) t.same(world.letters, [], `${hour} h`);
  }
  t.match(world.letters[0], { template: 'webhook-failing', to: 'ada@test.example', data: { since: String } });
  t.equal(world.letters.length, 1);
  await world.happens('monitor.up', 'm_3');
  await world.pass(4);
  await world.settle();
  t.match(world.letters[1], { template: 'webhook-disabled', data: { isGone: false } });
  t.match(await world.endpoints.get(id, world.act.account), { status: 'disabled', disabled_reason: 'failing' });
  t.equal((await world.rows().whereNotNull('due_at')).length, 0, 'nothing waits for it');
  const sent = receiver.events.length;
  await world.happens('monitor.down', 'm_4');
  await world.settle();
  t.equal(receiver.events.length, sent);
  t.match((await world.rows()).at(-1), { status: 'skipped', subject: 'm_4' });
  receiver.reply = status(200);
  await world.endpoints.change(id, { status: 'active' }, world.act);
  await world.happens('monitor.up', 'm_5');
  await world.settle();
  t.match((await world.rows()).at(-1), { status: 'delivered', subject: 'm_5' });
  t.match(await world.endpoints.get(id, world.act.account), { status: 'active', failing_since: null });
  t.equal(world.letters.length, 2);
});

t.test('status 410 disables an endpoint at once and mails its owner', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, status(410));
  const { id } = await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  t.match(await world.endpoints.get(id, world.act.account), { status: 'disabled', disabled_reason: 'gone' });
  t.match(world.letters, [{ template: 'webhook-disabled', data: { isGone: true } }]);
  t.match(await world.db('audit_log').where({ action: 'webhook.disabled' }), [{ subject: id, user_id: null }]);
});

t.test('an endpoint has four requests at a time, over all replicas, and one that hangs delays no other', async (t) => {
  const world = await newWorld(t);
  const hanging = await WebhookReceiver.start(t, () => {});
  const quick = await WebhookReceiver.start(t);
  await world.endpoint(hanging.url);
  await world.endpoint(quick.url);
  for (let n = 0; n < 40; n += 1) await world.happens('monitor.down', `m_${n}`);
  const [first, second] = [world.newSender(), world.newSender()];
  await world.relay.run();
  await until('the quick one has all', async () => {
    await Promise.all([first.run(), second.run()]);
    return quick.events.length === 40 && hanging.events.length >= 4;
  });
  t.equal(hanging.events.length, 4);
  world.clock.advance(15_000);
  await until('one more', () => hanging.events.length > 4);
  await Promise.all([first.run(), second.run()]);
  t.equal(hanging.events.length, 5, 'one at a time while it does not reply');
});

t.test(
  'an endpoint that is paused while a replica has more to send gets what is under way, and nothing else',
  async (t) => {
    const world = await newWorld(t);
    const held: (() => void)[] = [];
    const receiver = await WebhookReceiver.start(t, (_, response) => void held.push(() => response.end()));
    const { id } = await world.endpoint(receiver.url);
    for (let n = 0; n < 10; n += 1) await world.happens('monitor.down', `m_${n}`);
    const sender = world.newSender();
    await world.relay.run();
    await sender.run();
    await until('four requests', () => held.length === 4);
    await world.endpoints.change(id, { status: 'paused' }, world.act);
    // what was claimed is begun within two seconds, or not at all
    world.clock.advance(2_001);
    for (const end of held) end();
    await sender.idle();
    await world.settle(sender);
    t.equal(receiver.events.length, 4);
    t.same(countOf(await world.rows().pluck('status')), { delivered: 4, skipped: 6 });
  },
);

t.test('a replica that stops gives back what it has not begun to send', async (t) => {
  const world = await newWorld(t);
  // the first four are answered, so that the sender holds more than it sends at once; the others hang
  const receiver = await WebhookReceiver.start(t, (_, response) => {
    if (receiver.events.length <= 4) response.end();
  });
  await world.endpoint(receiver.url);
  for (let n = 0; n < 14; n += 1) await world.happens('monitor.down', `m_${n}`);
  const stopping = world.newSender();
  await world.relay.run();
  await stopping.run();
  await until('four more requests', () => receiver.events.length === 8);
  await until('leases', async () => (await world.db('webhook_leases')).length === 10);
  await stopping.stop();
  t.equal((await world.db('webhook_leases')).length, 4, 'those that may have arrived');
  receiver.reply = status(200);
  world.clock.advance(60_000);
  await until('all', async () => {
    await world.settle(world.newSender());
    return (await world.rows().where({ status: 'delivered' })).length === 14;
  });
  t.equal(new Set(ids(receiver)).size, 14);
});

t.test('first attempts of a subject begin in the order of its events, on two replicas', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  await world.endpoint(receiver.url);
  for (let n = 0; n < 30; n += 1) await world.happens(n % 2 === 0 ? 'monitor.down' : 'monitor.up', `m_${n % 3}`);
  const senders = [world.newSender(), world.newSender()];
  await until('all of them', async () => {
    await world.relay.run();
    await Promise.all(senders.map((sender) => sender.run()));
    await Promise.all(senders.map((sender) => sender.idle()));
    return receiver.events.length === 30;
  });
  for (const subject of ['m_0', 'm_1', 'm_2']) {
    const own = receiver.events.filter(({ body }) => body.data.monitor.id === subject);
    const sequences = own.map(({ body }) => body.sequence);
    t.same(
      sequences,
      sequences.toSorted((a, b) => a - b),
      subject,
    );
  }
  t.equal(new Set(ids(receiver)).size, 30);
});

t.test('an event that fails holds up no later event of its subject', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, (event, response) => {
    response.writeHead(event.body.type === 'monitor.down' ? 500 : 200).end();
  });
  await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.happens('monitor.up', 'm_1');
  await world.settle();
  await world.settle();
  t.match(await world.rows(), [
    { kind: 'monitor.down', status: 'retrying' },
    { kind: 'monitor.up', status: 'delivered' },
  ]);
});

t.test('a deleted endpoint leaves no delivery that waits', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t, status(500));
  const { id } = await world.endpoint(receiver.url);
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  await world.happens('monitor.up', 'm_1');
  await world.relay.run();
  t.equal(await countPending(world.db), 2);
  await world.endpoints.delete(id, world.act);
  t.equal(await countPending(world.db), 0);
});

t.test('an event is stored once, however many endpoints receive it, and not at all if none does', async (t) => {
  const world = await newWorld(t);
  const receivers = [await WebhookReceiver.start(t), await WebhookReceiver.start(t), await WebhookReceiver.start(t)];
  for (const [index, { url }] of receivers.entries())
    await world.endpoint(url, { payload: index === 0 ? 'thin' : 'full', events: [index === 2 ? 'node.*' : '*'] });
  await world.happens('monitor.down', 'm_1', 'Shop <!channel>');
  await world.settle();
  t.equal((await world.db('webhook_events')).length, 1);
  t.equal((await world.rows()).length, 2);
  const [thin, full, other] = receivers;
  t.same(Object.keys(thin?.events[0]?.body.data), ['monitor_id', 'event_id']);
  t.match(full?.events[0]?.body.data, { monitor: { name: 'Shop <!channel>' }, event: { type: 'down' } });
  t.equal(other?.events.length, 0);
  await world.happens('monitor.down', 'm_2');
  await world.db('webhook_endpoints').delete();
  await world.settle();
  t.equal((await world.db('webhook_events')).length, 1, 'what nobody receives is not stored');
});

t.test('two recoveries at once keep the rate of one', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  const { id } = await world.endpoint(receiver.url, { events: ['monitor.down'] });
  await world.endpoints.change(id, { status: 'paused' }, world.act);
  const sinceMs = world.clock.now() - 1_000;
  const happen = (from: number) =>
    world.db.transaction(async (trx) => {
      for (let n = from; n < from + 10; n += 1) await world.happens('monitor.down', `m_${n}`, 'Shop', trx);
    });
  await happen(0);
  await world.settle();
  world.clock.advance(60_000);
  const middleMs = world.clock.now() - 30_000;
  await happen(10);
  await world.settle();
  world.clock.advance(1);
  await world.endpoints.change(id, { status: 'active' }, world.act);
  const untilMs = world.clock.now();
  const counts = await Promise.all([
    world.deliveries.recover(id, { sinceMs, untilMs: middleMs, isAll: false }, world.act),
    world.deliveries.recover(id, { sinceMs: middleMs, untilMs, isAll: false }, world.act),
  ]);
  t.same(counts, [10, 10]);
  const dues: Date[] = await world.db('webhook_waiting').where({ lane: 'recovery' }).orderBy('due_at').pluck('due_at');
  t.same(
    dues.map((due) => due.getTime() - untilMs),
    Array.from({ length: 20 }, (_, index) => index * 20),
  );
});

t.test('recovered events are sent at 50 a second and after new ones; more than 10 000 are refused', async (t) => {
  const world = await newWorld(t);
  const receiver = await WebhookReceiver.start(t);
  const { id } = await world.endpoint(receiver.url, { events: ['monitor.down'] });
  const recovery = (isAll = false) => ({
    sinceMs: world.clock.now() - 3_600_000,
    untilMs: world.clock.now() + 1,
    isAll,
  });
  const recover = () => world.deliveries.recover(id, recovery(), world.act);
  await world.endpoints.change(id, { status: 'paused' }, world.act);
  await world.db.transaction(async (trx) => {
    for (let n = 0; n < 100; n += 1) await world.happens('monitor.down', `m_${n}`, 'Shop', trx);
  });
  await world.settle();
  world.clock.advance(1);
  await world.endpoints.change(id, { status: 'active' }, world.act);
  t.equal(await recover(), 100);
  for (let n = 0; n < 8; n += 1) await world.happens('monitor.down', `m_new_${n}`);
  const drain = async (count: number) =>
    until(`${count} requests`, async () => {
      await world.settle();
      return receiver.events.length >= count;
    });
  await drain(9);
  t.equal(receiver.events.length, 9, 'the new ones, and the first of the others');
  // four are sent at once
  for (const { body } of receiver.events.slice(0, 4)) t.match(body.data.monitor.id, /^m_new_/);
  world.clock.advance(1_000);
  await drain(59);
  await world.settle();
  t.equal(receiver.events.length, 59);
  world.clock.advance(1_000);
  await drain(108);

  const [delivered] = await world.rows();
  await world.db.raw(
    `INSERT INTO webhook_deliveries (id, owner_id, endpoint_id, event_id, kind, subject, sequence, payload, status, created_at)
     SELECT left(?, 16) || 'z' || lpad(n::text, 9, '0'), owner_id, endpoint_id, 'evt_' || n, kind, subject, n, payload, 'skipped', created_at
     FROM webhook_deliveries, generate_series(1, 10001) AS n WHERE id = ?`,
    [delivered.id, delivered.id],
  );
  await t.rejects(recover(), { code: 'VALIDATION_FAILED', status: 422, details: { since: [{ code: 'refused' }] } });
  await world.db('webhook_deliveries').where({ event_id: 'evt_1' }).delete();
  t.equal(await recover(), 10_000);
});

function countOf(words: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
