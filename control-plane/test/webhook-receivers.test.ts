import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import {
  type Behaviour,
  chunkedHead,
  drips,
  floods,
  interim,
  resets,
  startHostileServer,
} from './_support/hostile-server.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';
import { WebhookReceiver } from './_support/webhook-receiver.js';
import { WebhookWorld } from './_support/webhook-world.js';

// Receivers that misbehave, turn private, repeat secrets, or change theirs.

t.test('a server that floods, drips or resets is a failure that is recorded and tried again', async (t) => {
  const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  const gzip = `HTTP/1.1 500 x\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`;
  const cases: readonly (readonly [string, Behaviour, object, isTimeout?: true])[] = [
    ['1xx for ever', floods('', interim), { status_code: null, error: /too many bytes/ }],
    ['1xx now and then', drips('', interim), { status_code: null, error: /15 s/ }, true],
    ['a byte now and then', drips(chunkedHead(200), '1\r\na\r\n'), { status_code: null, error: /15 s/ }, true],
    ['a gzip bomb', (socket) => void socket.end(Buffer.concat([Buffer.from(gzip), bomb])), { status_code: 500 }],
    ['a reset', resets, { status_code: null, error: /ECONNRESET/ }],
  ];
  const world = await WebhookWorld.create(t);
  const made = [];
  for (const [name, behave, expected, isTimeout = false] of cases) {
    const server = await startHostileServer(t, behave);
    made.push({ name, expected, isTimeout, server, ...(await world.endpoint(server.url)) });
  }
  await world.happens('monitor.down', 'm_1');
  const sender = world.newSender();
  await world.relay.run();
  await sender.run();
  const slow = made.filter(({ isTimeout }) => isTimeout).length;
  await until(
    'all others',
    async () => (await world.rows().where({ status: 'retrying' })).length === made.length - slow,
  );
  world.clock.advance(15_000);
  await sender.idle();
  const rows = await world.rows();
  for (const { name, expected, server, id } of made) {
    const row = rows.find(({ endpoint_id }: { endpoint_id: string }) => endpoint_id === id);
    t.match(row, { status: 'retrying', attempts: [expected] }, name);
    t.ok((row.attempts[0].response ?? '').length <= 4_096, name);
    await until('the connection to be closed', () => server.open === 0);
  }
});

t.test('an endpoint whose name turns private after it was written is not connected', async (t) => {
  let address = '203.0.114.1';
  const world = await WebhookWorld.create(t, async () => [{ address, family: 4 }]);
  await world.endpoint('https://hooks.example.com/');
  address = '10.1.2.3';
  await world.happens('monitor.down', 'm_1');
  await world.settle();
  const [row] = await world.rows();
  t.match(row, { status: 'retrying', attempts: [{ status_code: null, error: /not allowed/ }] });
  t.notMatch(JSON.stringify(row), address);
});

t.test('attempts of an endpoint share a connection, which no other endpoint uses', async (t) => {
  const world = await WebhookWorld.create(t);
  const receiver = await WebhookReceiver.start(t);
  await world.endpoint(receiver.url);
  for (const name of ['m_1', 'm_2', 'm_3']) {
    await world.happens('monitor.down', name);
    await world.settle();
  }
  t.match({ events: receiver.events.length, connections: receiver.connections }, { events: 3, connections: 1 });
  await world.endpoint(`${receiver.url}/other`);
  await world.happens('monitor.down', 'm_4');
  await world.settle();
  t.match({ events: receiver.events.length, connections: receiver.connections }, { events: 5, connections: 2 });
  await world.stop();
  await until('the connections to be closed', () => receiver.open === 0);
});

t.test('a changed deny list and the end of the process close the connections to receivers', async (t) => {
  neverIdle(t);
  const file = join(temporaryDirectory(t), 'deny.txt');
  writeFileSync(file, 'evil.example\n');
  const clock = new FakeClock(Date.now());
  const { api, controlPlane, database } = await startStack(t, { VANTAGE_DENY_TARGETS_FILE: file }, clock);
  const receiver = await WebhookReceiver.start(t);
  await api.call('POST', '/v1/webhooks', { body: { url: receiver.url, events: ['*'] } });
  const { body } = await api.call('POST', '/v1/monitors', { body: { name: 'Night', type: 'heartbeat' } });
  const event = async (act: string, count: number) => {
    await api.call('POST', `/v1/monitors/${body.data.id}/${act}`, { body: {} });
    await until('the event', async () => {
      clock.advance(50);
      return (await database.db('webhook_deliveries').where({ status: 'delivered' })).length === count;
    });
    t.equal(receiver.open, 1, 'its connection is kept');
  };
  await event('pause', 1);
  writeFileSync(file, 'worse.example\n');
  await until('the list to close it', () => {
    clock.advance(30_000);
    return receiver.open === 0;
  });
  await event('resume', 2);
  await controlPlane.stop();
  await until('the end to close it', () => receiver.open === 0);
});

/** Keeps connections of this process from being closed as idle. */
function neverIdle(t: Test): void {
  const keep = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.setTimeout = () => socket;
  };
  subscribe('net.client.socket', keep);
  t.teardown(() => unsubscribe('net.client.socket', keep));
}

t.test('no request fails while a secret is rotated again and again under load, on two replicas', async (t) => {
  const world = await WebhookWorld.create(t);
  let installed = '';
  const receiver = await WebhookReceiver.start(t, ({ headers, text }, response) => {
    try {
      new Webhook(installed).verify(text, headers as Record<string, string>);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  });
  const { id, secret } = await world.endpoint(receiver.url);
  const senders = [world.newSender(), world.newSender()];
  installed = secret;
  const [rounds, events] = [5, 40];
  const signatures: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    for (let n = 0; n < events; n += 1) await world.happens('monitor.down', `m_${n}`);
    await world.relay.run();
    const arrived = () => receiver.events.length - (round - 1) * events;
    const rotations: Promise<{ secret: string }>[] = [];
    await until('all events', async () => {
      await Promise.all(senders.map((sender) => sender.run()));
      // while requests are under way
      if (arrived() > 0 && rotations.length === 0) rotations.push(world.endpoints.rotateSecret(id, 24, world.act));
      return arrived() === events;
    });
    for (const sender of senders) await sender.idle();
    for (const { headers } of receiver.events.slice(-events))
      signatures.push(String(headers['webhook-signature']).split(' ').length);
    // the receiver changes its secret only now
    for (const { secret: newer } of await Promise.all(rotations)) installed = newer;
  }
  t.equal((await world.rows().where({ status: 'delivered', attempt_count: 1 })).length, rounds * events);
  t.ok(signatures.includes(1) && signatures.includes(2), 'requests before and within an overlap');
});

t.test(
  'no secret of an endpoint is in a row, a log line or what its log shows, whatever the receiver repeats',
  async (t) => {
    const world = await WebhookWorld.create(t);
    const tokens = ['geheim-header-1', 'geheim-header-2'];
    const headers = { 'x-token': 'geheim-header-1', authorization: 'Bearer geheim-header-2' };
    // what a receiver knows of its endpoint
    const known: Record<'repeating' | 'broken' | 'away', string[]> = { repeating: [], broken: [], away: [] };
    const receiver = await WebhookReceiver.start(t, (event, response) => {
      const text = known.repeating.map((secret) => `${secret} ${encodeURIComponent(secret)}`).join();
      response.writeHead(500, { 'x-echo': String(event.headers['x-token']) }).end(text + JSON.stringify(event.headers));
    });
    const broken = await startHostileServer(t, (socket) => void socket.end(`${known.broken.join()}\r\n`));
    const urls = { repeating: receiver.url, broken: broken.url, away: `http://127.0.0.1:${await closedPort()}/` };
    for (const name of ['repeating', 'broken', 'away'] as const) {
      const { id, secret } = await world.endpoint(urls[name], { headers });
      const rotated = await world.endpoints.rotateSecret(id, 24, world.act);
      known[name].push(...tokens, secret, rotated.secret);
    }
    const secrets = [...new Set(Object.values(known).flat())];
    await world.happens('monitor.down', 'm_1');
    await world.settle();
    const rows: { id: string; attempts: object[] }[] = await world.rows();
    t.match(
      rows.map(({ attempts }) => attempts.length),
      [1, 1, 1],
    );
    const shown = await Promise.all(rows.map(({ id }) => world.deliveries.get(id, world.act.account)));
    const tables: string[] = await world
      .db('pg_tables')
      .where({ schemaname: 'public' })
      .where((of) => of.where('tablename', 'like', 'webhook%').orWhereIn('tablename', ['audit_log', 'outbox']))
      .pluck('tablename');
    t.ok(tables.length > 5, tables.join());
    const dumps = await Promise.all(
      tables.map(async (table) => {
        const found: object[] = await world.db(table).select('*');
        const bytes = found.flatMap((row) => Object.values(row)).filter(Buffer.isBuffer);
        return `${JSON.stringify(found)}${bytes.map((value) => value.toString('latin1')).join()}`;
      }),
    );
    const texts = { tables: dumps.join(), log: JSON.stringify(world.log), shown: JSON.stringify(shown) };
    t.match(texts.tables, /\*{8}/, 'what the receiver repeated is there, masked');
    for (const secret of secrets)
      for (const [place, text] of Object.entries(texts))
        for (const form of [secret, encodeURIComponent(secret), secret.replace('whsec_', '')])
          t.notOk(text.includes(form), `${form} is not in ${place}`);
  },
);

async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
