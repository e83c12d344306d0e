import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import type { Bus, BusMessage } from '../src/bus/bus.js';
import { Envelopes } from '../src/bus/envelopes.js';
import { type BusDriver, type BusSettings, busSecretKey } from './_support/bus-driver.js';
import { openNatsDriver } from './_support/nats-bus-driver.js';
import { openPostgresDriver } from './_support/postgres-bus-driver.js';

interface Replica {
  readonly id: string;
  readonly bus: Bus;
  readonly received: BusMessage[];
  resyncs: number;
}

// promises of every implementation of Bus; `setUp` gives each test an environment of its own
const carriers: readonly { name: string; setUp: (t: Test) => Promise<BusDriver>; skip: string | false }[] = [
  { name: 'postgres', setUp: openPostgresDriver, skip: false },
  { name: 'nats', setUp: openNatsDriver, skip: missing('nats-server') },
];

for (const { name, setUp, skip } of carriers) {
  const start = async (t: Test, count: number) => {
    const driver = await setUp(t);
    const replicas: Replica[] = [];
    for (let index = 0; index < count; index += 1) replicas.push(await startReplica(driver));
    return { driver, replicas: replicas as [Replica, Replica, Replica] };
  };

  t.test(`${name}: a message to one replica reaches only that replica`, { skip }, async (t) => {
    const { replicas } = await start(t, 3);
    const [a, b, c] = replicas;
    a.bus.send(b.id, { type: 'jobs', ids: ['pt_1', 'pt_2'] });
    await until('the message', () => b.received.length > 0);
    await allQuiet(replicas);
    t.strictSame(b.received, [{ type: 'jobs', ids: ['pt_1', 'pt_2'] }]);
    t.strictSame(c.received, []);
    t.strictSame(a.received, []);
  });

  t.test(`${name}: a broadcast reaches every other replica and not its sender`, { skip }, async (t) => {
    const { replicas } = await start(t, 3);
    const [a, b, c] = replicas;
    a.bus.broadcast({ type: 'finished', ids: ['pt_1'] });
    await until('the message', () => b.received.length > 0 && c.received.length > 0);
    await allQuiet(replicas);
    t.strictSame(
      [a.received, b.received, c.received],
      [[], [{ type: 'finished', ids: ['pt_1'] }], [{ type: 'finished', ids: ['pt_1'] }]],
    );
  });

  t.test(`${name}: ids published in one turn travel together, kinds apart, each id once`, { skip }, async (t) => {
    const { replicas } = await start(t, 2);
    const [a, b] = replicas;
    for (let index = 0; index < 100; index += 1) {
      a.bus.send(b.id, { type: 'jobs', ids: [`pt_${index % 10}`] });
      a.bus.broadcast({ type: 'nodes', ids: [`n_${index}`] });
    }
    await until('all ids', () => idsOf(b, 'jobs').size === 10 && idsOf(b, 'nodes').size === 100);
    await allQuiet(replicas);
    t.ok(b.received.length <= 4, `200 calls came as ${b.received.length} messages`);
    t.strictSame(idsOf(b, 'jobs'), new Set(Array.from({ length: 10 }, (_, index) => `pt_${index}`)));
  });

  t.test(`${name}: any number of ids arrives`, { skip }, async (t) => {
    const { replicas } = await start(t, 2);
    const [a, b] = replicas;
    const ids = Array.from({ length: 5_000 }, () => newId(idPrefixes.probeTask));
    a.bus.send(b.id, { type: 'jobs', ids });
    await until('all ids', () => idsOf(b, 'jobs').size === ids.length);
    t.strictSame(idsOf(b, 'jobs'), new Set(ids));
    a.bus.send(b.id, { type: 'finished', ids: [] });
    await allQuiet(replicas);
    t.equal(idsOf(b, 'finished').size, 0, 'no id, no message');
  });

  t.test(
    `${name}: after its connection broke a replica is notified to read again, and receives messages again`,
    { skip },
    async (t) => {
      const { driver, replicas } = await start(t, 2);
      const [a, b] = replicas;
      t.equal(b.resyncs, 0);
      await driver.lose();
      await driver.restore();
      await until('the resync', () => a.resyncs === 1 && b.resyncs === 1);
      a.bus.send(b.id, { type: 'jobs', ids: ['pt_after'] });
      await until('the message', () => idsOf(b, 'jobs').has('pt_after'));
      t.pass();
    },
  );

  t.test(`${name}: a stopping replica sends what is queued, and receives nothing more`, { skip }, async (t) => {
    const { driver } = await start(t, 0);
    // on this clock its patience with the transport, which is short, does not end
    const a = await startReplica(driver, 'rep_a', { clock: new FakeClock() });
    const [b, c] = [await startReplica(driver), await startReplica(driver)];
    for (let index = 0; index < 50; index += 1) {
      a.bus.send(b.id, { type: 'jobs', ids: [`pt_${index}`] });
      // the first messages are on their way when the others are queued
      if (index % 10 === 0) await new Promise(setImmediate);
    }
    await Promise.all([a.bus.stop(), a.bus.stop()]);
    await until('all ids', () => idsOf(b, 'jobs').size === 50);
    b.bus.broadcast({ type: 'nodes', ids: ['n_1'] });
    a.bus.send(b.id, { type: 'finished', ids: ['pt_late'] });
    await allQuiet([b, c]);
    t.strictSame(a.received, []);
    t.equal(idsOf(b, 'finished').size, 0, 'nothing is sent after the end');
  });

  t.test(
    `${name}: the first message leaves at once, and messages queued while it is on its way leave together`,
    { skip },
    async (t) => {
      const { driver } = await start(t, 0);
      // no timer fires on this clock: a message that arrives did not wait for one
      const clock = new FakeClock();
      const [a, b] = [driver.open('rep_a', { clock }), driver.open('rep_b')];
      const heard: BusMessage[] = [];
      b.onMessage((message) => heard.push(message));
      await Promise.all([a.start(), b.start()]);
      for (const id of ['pt_1', 'pt_2', 'pt_3']) a.send('rep_b', { type: 'jobs', ids: [id] });
      await until('all of them', () => heard.flatMap(({ ids }) => ids).length === 3);
      t.strictSame(
        heard.map(({ ids }) => ids),
        [['pt_1'], ['pt_2', 'pt_3']],
      );
    },
  );

  t.test(`${name}: no messages are kept for a replica that is not connected yet`, { skip }, async (t) => {
    const { driver } = await start(t, 0);
    const a = await startReplica(driver, 'rep_a');
    const late = await startReplica(driver, 'rep_late');
    a.bus.send('rep_b', { type: 'jobs', ids: ['pt_early'] });
    a.bus.send('rep_late', { type: 'jobs', ids: ['pt_marker'] });
    await until('the marker', () => late.received.length === 1);
    const b = await startReplica(driver, 'rep_b');
    a.bus.send('rep_b', { type: 'jobs', ids: ['pt_1'] });
    await until('the message', () => b.received.length === 1);
    t.strictSame(b.received, [{ type: 'jobs', ids: ['pt_1'] }]);
  });

  t.test(
    `${name}: messages published during an outage of the transport are sent when it is back`,
    { skip },
    async (t) => {
      const { driver } = await start(t, 0);
      const lines: string[] = [];
      const a = driver.open('rep_a', { log: pino({}, { write: (line: string) => void lines.push(line) }) });
      const b = await startReplica(driver);
      await a.start();
      await driver.lose();
      await until('the sender to notice', () => lines.some((line) => line.includes('bus connection lost')));
      for (let index = 0; index < 30_000; index += 1) a.send(b.id, { type: 'jobs', ids: [`pt_${index}`] });
      await driver.restore();
      // the sender may be back before the receiver, which misses the message and reads again
      await until(
        'the message, or the notification to read again',
        () => idsOf(b, 'jobs').has('pt_29999') || b.resyncs > 0,
      );
      a.send(b.id, { type: 'jobs', ids: ['pt_end'] });
      await until('the end', () => idsOf(b, 'jobs').has('pt_end'));
      t.ok(idsOf(b, 'jobs').size < 30_000, 'but not without a limit');
    },
  );

  t.test(`${name}: messages of a stranger, or of a newer version, do no harm`, { skip }, async (t) => {
    const { driver, replicas } = await start(t, 2);
    const [a, b] = replicas;
    for (const payload of hostilePayloads) {
      await driver.say(null, payload);
      await driver.say(a.id, payload);
    }
    const unsigned = { from: b.id, at: 1, message: { type: 'jobs', ids: ['pt_0'] } };
    await driver.say(a.id, JSON.stringify(unsigned));
    await driver.say(a.id, JSON.stringify({ ...unsigned, mac: 'x' }));
    const newer = new Envelopes({ replicaId: 'rep_newer', secretKey: busSecretKey, clock: systemClock });
    const dance = { type: 'dance', ids: ['pt_1'] } as unknown as BusMessage;
    await driver.say(a.id, newer.seal(driver.channelOf(a.id), dance));
    const more = { type: 'jobs', ids: ['pt_1'], hop: 1 } as BusMessage;
    await driver.say(a.id, newer.seal(driver.channelOf(a.id), more));
    await until('the good one', () => a.received.length > 0);
    t.strictSame(a.received, [{ type: 'jobs', ids: ['pt_1'] }], 'members added by a newer version are ignored');
    b.bus.broadcast({ type: 'nodes', ids: ['n_1'] });
    await until('the next', () => idsOf(a, 'nodes').has('n_1'));
    t.equal(a.resyncs, 0, 'no connection broke');
  });

  t.test(`${name}: a listener that fails does not keep other listeners from receiving`, { skip }, async (t) => {
    const { driver } = await start(t, 0);
    const [a, b] = [driver.open('rep_a'), driver.open('rep_b')];
    const heard: string[] = [];
    b.onMessage(() => {
      throw new Error('broken');
    });
    b.onMessage(({ ids }) => void heard.push(...ids));
    await Promise.all([a.start(), b.start()]);
    a.send('rep_b', { type: 'jobs', ids: ['pt_1'] });
    await until('the first', () => heard.length === 1);
    a.send('rep_b', { type: 'jobs', ids: ['pt_2'] });
    await until('the second', () => heard.length === 2);
    t.strictSame(heard, ['pt_1', 'pt_2']);
  });

  t.test(
    `${name}: a single replica broadcasts to no one, and one that only sends receives nothing`,
    { skip },
    async (t) => {
      const { driver } = await start(t, 0);
      const alone = driver.open('rep_a', { hasOthers: false });
      const other = await startReplica(driver, 'rep_b');
      const speaker = driver.open('rep_c', { isListening: false });
      const heard: BusMessage[] = [];
      speaker.onMessage((message) => heard.push(message));
      await Promise.all([alone.start(), speaker.start()]);
      alone.broadcast({ type: 'nodes', ids: ['n_1'] });
      alone.send(other.id, { type: 'jobs', ids: ['pt_1'] });
      other.bus.broadcast({ type: 'nodes', ids: ['n_2'] });
      other.bus.send('rep_c', { type: 'jobs', ids: ['pt_2'] });
      speaker.broadcast({ type: 'nodes', ids: ['n_3'] });
      await until('the messages', () => other.received.length === 2);
      t.strictSame(idsOf(other, 'nodes'), new Set(['n_3']));
      t.strictSame(idsOf(other, 'jobs'), new Set(['pt_1']));
      t.strictSame(heard, []);
    },
  );

  t.test(
    `${name}: a bus that cannot start reports it, does not retry, and leaves nothing behind`,
    { skip },
    async (t) => {
      const { driver } = await start(t, 0);
      const clock = new FakeClock();
      const bus = driver.openNowhere({ clock });
      await t.rejects(bus.start(), /127\.0\.0\.1|ECONNREFUSED/);
      t.equal(clock.pendingTimers, 0);
      bus.broadcast({ type: 'nodes', ids: ['n_1'] });
      await bus.stop();
      t.equal(await driver.connections(), 0);
    },
  );

  t.test(`${name}: a bus that is stopped while it reconnects leaves no connection`, { skip }, async (t) => {
    const { driver, replicas } = await start(t, 2);
    const [a, b] = replicas;
    await driver.lose();
    await a.bus.stop();
    await driver.restore();
    await until('the other replica to be back', () => b.resyncs === 1);
    // the transport may notice later than its clients that a connection is over
    await until('the connections before the outage to be over', async () => (await driver.connections()) <= 1);
    t.equal(await driver.connections(), 1);
    t.equal(a.resyncs, 0);
  });
}

/** Messages that anyone may publish on the transport. */
const hostilePayloads = [
  'hello',
  '',
  'null',
  '[]',
  '{"from":"rep_b"}',
  '{"from":"rep_b","message":null}',
  '{"from":"rep_b","message":{"type":"jobs"}}',
  '{"from":"rep_b","message":{"type":"dance","ids":[]}}',
  '{"from":"rep_b","message":{"type":"__proto__","ids":["x"]}}',
  '{"from":1,"message":{"type":"jobs","ids":["x"]}}',
  '{"from":"rep_b","message":{"type":"jobs","ids":[1]}}',
  '{"from":"rep_b","message":{"type":"jobs","ids":{"length":1}}}',
  '['.repeat(7_000),
  '\u{fffd}\u0001',
];

async function startReplica(
  driver: BusDriver,
  id: string = newId(idPrefixes.replica),
  settings: BusSettings = {},
): Promise<Replica> {
  const replica: Replica = { id, bus: driver.open(id, settings), received: [], resyncs: 0 };
  replica.bus.onMessage((message) => replica.received.push(message));
  replica.bus.onResync(() => {
    replica.resyncs += 1;
  });
  await replica.bus.start();
  return replica;
}

function idsOf(replica: Replica, type: BusMessage['type']): Set<string> {
  return new Set(replica.received.filter((message) => message.type === type).flatMap(({ ids }) => ids));
}

/**
 * Waits for all messages on their way: a marker to each replica follows them. The markers are removed from what was
 * received.
 */
async function allQuiet(replicas: readonly Replica[]): Promise<void> {
  for (const from of replicas)
    for (const to of replicas) from.bus.send(to.id, { type: 'replicas', ids: [`${from.id}>${to.id}`] });
  for (const from of replicas) {
    for (const to of replicas) {
      if (from !== to) await until('the marker', () => idsOf(to, 'replicas').has(`${from.id}>${to.id}`));
    }
  }
  for (const { received } of replicas)
    received.splice(0, received.length, ...received.filter(({ type }) => type !== 'replicas'));
}
