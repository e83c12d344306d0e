import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t, { type Test } from 'tap';
import type { Bus, BusMessage } from '../../src/bus/bus.js';
import { until } from './until.js';

/** One kind of bus, as the contract drives it. */
export interface BusDriver {
  /** The bus of a replica, not started yet. */
  open(replicaId: string): Bus;
  /** Breaks every connection of every bus at once. */
  cutAll(): Promise<void>;
}

interface Replica {
  readonly id: string;
  readonly bus: Bus;
  readonly received: BusMessage[];
  resyncs: number;
}

/** What every implementation of Bus promises. `setUp` gives a test a world of its own. */
export function testBusContract(name: string, setUp: (t: Test) => Promise<BusDriver>): void {
  const start = async (t: Test, count: number) => {
    const driver = await setUp(t);
    const replicas: Replica[] = [];
    for (let index = 0; index < count; index += 1) replicas.push(await startReplica(t, driver));
    return { driver, replicas: replicas as [Replica, Replica, Replica] };
  };

  t.test(`${name}: a message to one replica reaches that one alone`, async (t) => {
    const { replicas } = await start(t, 3);
    const [a, b, c] = replicas;
    a.bus.send(b.id, { type: 'jobs', ids: ['pt_1', 'pt_2'] });
    await until('the message', () => b.received.length > 0);
    await allQuiet(replicas);
    t.strictSame(b.received, [{ type: 'jobs', ids: ['pt_1', 'pt_2'] }]);
    t.strictSame(c.received, []);
    t.strictSame(a.received, []);
  });

  t.test(`${name}: a broadcast reaches every other replica and not its sender`, async (t) => {
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

  t.test(`${name}: what is said in one breath travels together, kinds apart, each id once`, async (t) => {
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

  t.test(`${name}: any number of ids arrives`, async (t) => {
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

  t.test(`${name}: after its connection broke a replica is told to read again, and hears again`, async (t) => {
    const { driver, replicas } = await start(t, 2);
    const [a, b] = replicas;
    t.equal(b.resyncs, 0);
    await driver.cutAll();
    await until('the resync', () => a.resyncs === 1 && b.resyncs === 1);
    a.bus.send(b.id, { type: 'jobs', ids: ['pt_after'] });
    await until('the message', () => idsOf(b, 'jobs').has('pt_after'));
    t.pass();
  });

  t.test(`${name}: a stopping replica sends what is queued, and hears nothing any more`, async (t) => {
    const { replicas } = await start(t, 3);
    const [a, b, c] = replicas;
    for (let index = 0; index < 50; index += 1) {
      a.bus.send(b.id, { type: 'jobs', ids: [`pt_${index}`] });
      // the first ones are on their way when the others are queued
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
}

async function startReplica(t: Test, driver: BusDriver): Promise<Replica> {
  const id = newId(idPrefixes.replica);
  const replica: Replica = { id, bus: driver.open(id), received: [], resyncs: 0 };
  replica.bus.onMessage((message) => replica.received.push(message));
  replica.bus.onResync(() => {
    replica.resyncs += 1;
  });
  t.teardown(() => replica.bus.stop());
  await replica.bus.start();
  return replica;
}

function idsOf(replica: Replica, type: BusMessage['type']): Set<string> {
  return new Set(replica.received.filter((message) => message.type === type).flatMap(({ ids }) => ids));
}

/** Lets whatever is on its way arrive: a marker to each replica comes after it. The markers are taken out again. */
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
