import { randomBytes } from 'node:crypto';
import { missing } from '@vantage/shared/_support/missing.js';
import { rounds } from '@vantage/shared/_support/rounds.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { BusMessage } from '../src/bus/bus.js';
import { Envelopes, MAX_PAYLOAD_BYTES } from '../src/bus/envelopes.js';
import { busSecretKey } from './_support/bus-driver.js';
import { CheckingNode } from './_support/checking-node.js';
import { createTestDatabase } from './_support/database.js';
import { subjectPrefix } from './_support/nats-bus-driver.js';
import { NatsServer } from './_support/nats-server.js';
import { createAdmin, startReplica, type TestApi } from './_support/stack.js';

// An attacker reaches the message server, or may NOTIFY in the database: what does a replica do with the attacker's
// messages?

const types: readonly BusMessage['type'][] = [
  'jobs',
  'finished',
  'nodes',
  'replicas',
  'credentials',
  'assignments',
  'check-now',
  'events',
];
const secretKeyOfAnother = randomBytes(32);
const envelopesOf = (replicaId: string, secretKey: Uint8Array = busSecretKey) =>
  new Envelopes({ replicaId, secretKey, clock: systemClock });

t.test('a signed message is ignored after any change to its bytes, sender, time, content or channel', async (t) => {
  const sender = envelopesOf('rep_a');
  let cases = 0;
  await fc.assert(
    fc.property(
      fc.constantFrom(...types),
      fc.array(fc.string({ minLength: 1, maxLength: 40 }), { maxLength: 5 }),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      (type, ids, at, flipped) => {
        cases += 1;
        const receiver = envelopesOf('rep_b');
        const sealed = sender.seal('channel', { type, ids });
        const bytes = Buffer.from(sealed);
        const position = at % bytes.length;
        bytes[position] = (bytes[position] as number) ^ flipped;
        const changed = receiver.open('channel', bytes.toString());
        const elsewhere = receiver.open('other channel', sealed);
        const first = receiver.open('channel', sealed);
        const again = receiver.open('channel', sealed);
        return (
          // other bytes with the same meaning are the same message, received once
          (changed.kind !== 'message' || first.kind === 'unknown') &&
          elsewhere.kind === 'foreign' &&
          (changed.kind === 'message' || first.kind === 'message') &&
          again.kind === 'unknown'
        );
      },
    ),
    { numRuns: rounds(2_000) },
  );
  t.comment(`${cases} cases`);
});

t.test('everything that is not a valid message is ignored', async (t) => {
  const receiver = envelopesOf('rep_b');
  let cases = 0;
  fc.assert(
    fc.property(fc.oneof(fc.json(), fc.string(), fc.string({ unit: 'binary' })), (payload) => {
      cases += 1;
      return receiver.open('channel', payload).kind === 'foreign';
    }),
    { numRuns: rounds(2_000) },
  );
  const another = envelopesOf('rep_a', secretKeyOfAnother).seal('channel', { type: 'jobs', ids: ['pt_1'] });
  t.equal(receiver.open('channel', another).kind, 'foreign');
  t.equal(receiver.open('channel', ' '.repeat(MAX_PAYLOAD_BYTES + 1)).kind, 'foreign');
  t.comment(`${cases} cases`);
});

t.test('the next message is received from a restarted sender, and after a thousand other senders', async (t) => {
  const receiver = envelopesOf('rep_b');
  const message: BusMessage = { type: 'nodes', ids: ['n_1'] };
  const first = envelopesOf('rep_a').seal('channel', message);
  t.equal(receiver.open('channel', first).kind, 'message');
  for (let index = 0; index < 1_500; index += 1)
    receiver.open('channel', envelopesOf(`rep_${index}`).seal('channel', message));
  t.equal(receiver.open('channel', envelopesOf('rep_a').seal('channel', message)).kind, 'message');
});

interface Carrier {
  readonly settings: Readonly<Record<string, string>>;
  /** Publishes a message to all replicas, or to one. */
  say(replicaId: string | null, payload: string): Promise<void>;
}

const carriers: readonly {
  name: string;
  skip: string | false;
  open: (t: Test, database: Awaited<ReturnType<typeof createTestDatabase>>) => Promise<Carrier>;
}[] = [
  {
    name: 'postgres',
    skip: false,
    open: async (_t, { db }) => ({
      settings: {},
      say: async (replicaId, payload) => {
        await db.raw('SELECT pg_notify(?, ?)', [`vantage_${replicaId ?? 'all'}`, payload.slice(0, 7_999)]);
      },
    }),
  },
  {
    name: 'nats',
    skip: missing('nats-server'),
    open: async (t, { db }) => {
      const server = await NatsServer.start(t);
      return {
        settings: { VANTAGE_BUS_URL: `nats://${server.address}` },
        say: async (replicaId, payload) => {
          const { public_key } = await db('server_identity').first('public_key');
          await server.publish(`${subjectPrefix(public_key)}.${replicaId ?? 'all'}`, payload);
        },
      };
    },
  },
];

/** All messages that control what replicas and nodes do. */
async function stateOf(db: Awaited<ReturnType<typeof createTestDatabase>>['db']): Promise<unknown> {
  const rows = async (table: string, ...columns: string[]) =>
    db(table)
      .orderBy('id')
      .select(['id', ...columns]);
  return {
    nodes: await rows('nodes', 'banned_at', 'quarantined_at', 'session_id', 'public_key', 'deleted_at'),
    owners: await rows('owners', 'state', 'plan'),
    users: await rows('users', 'disabled_at', 'deleted_at', 'role'),
    monitors: await rows('monitors', 'status', 'target', 'config'),
    tasks: await db('probe_node_tasks').orderBy('id').select('id', 'state', 'lost_code'),
    tokens: await rows('personal_access_tokens', 'revoked_at'),
  };
}

for (const { name, skip, open } of carriers) {
  t.test(`${name}: forged messages of every type make no node work and change nothing`, { skip }, async (t) => {
    const database = await createTestDatabase(t);
    const { db } = database;
    const carrier = await open(t, database);
    const settings = carrier.settings;
    const one = await startReplica(t, database.url, settings);
    const other = await startReplica(t, database.url, { ...settings, VANTAGE_PUBLIC_URL: one.publicUrl });
    const api = await createAdmin(one);
    const node = await CheckingNode.join(t, api);
    const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', node_count: 1 };
    const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
    const { generation } = await node.waitForAssignment(id);
    const probe = { target: '127.0.0.1', node_id: node.nodeId };
    const { task_ids } = (await api.call('POST', '/v1/probe/ping', { body: probe })).body.data;
    await until('the job and its result', async () => {
      const rows = await db('probe_node_tasks').whereNot({ state: 'done' });
      return node.peer.jobs.length === 1 && rows.length === 0;
    });
    const idsOf: Record<BusMessage['type'], string[]> = {
      jobs: [...task_ids],
      finished: [...task_ids],
      nodes: [node.nodeId],
      replicas: await db('replicas').pluck('id'),
      credentials: [api.userId, '*'],
      assignments: [node.nodeId],
      'check-now': [`${node.nodeId} ${id} ${generation} forged`],
      events: ['monitor.down'],
      'owner-events': [api.userId],
      lookups: ['ssl/1 example.com port=443'],
      reports: ['dg_1CGRtJ1RH3rs4vbBJ5pyjA'],
      'reputation-lists': ['exits'],
    };
    const before = await stateOf(db);
    const workOf = () => node.peer.frames.filter(({ job, checkNow }) => job !== null || checkNow !== null).length;
    const work = workOf();
    const replicaIds = [null, ...idsOf.replicas];
    const foreign = envelopesOf('rep_forger', secretKeyOfAnother);
    let said = 0;
    for (let round = 0; round < 20; round += 1) {
      for (const replicaId of replicaIds) {
        for (const type of types) {
          for (const ids of [
            idsOf[type],
            ['*', '>', '$SYS.>', '__proto__', "'; DROP TABLE nodes; --", 'x'.repeat(200)],
          ]) {
            const message = { type, ids };
            await carrier.say(replicaId, JSON.stringify({ from: 'rep_forger', message }));
            await carrier.say(
              replicaId,
              JSON.stringify({ from: idsOf.replicas[0], at: Date.now(), message, mac: 'AAAA' }),
            );
            await carrier.say(replicaId, foreign.seal(`vantage_${replicaId ?? 'all'}`, message));
            said += 3;
          }
        }
      }
    }
    // authorized messages come after all of the forged ones
    const heard = api.call('POST', `/v1/monitors/${id}/test?wait=1`);
    await until('the genuine request', () => node.peer.frames.some(({ checkNow }) => checkNow !== null));
    await heard;
    t.equal(workOf(), work + 1, 'the node received no other request');
    t.strictSame(await stateOf(db), before);
    const asked = await asksOf(api, other.listenUrl);
    t.strictSame(asked, [200, 200], 'and both are served');
    t.comment(`${said} forged messages`);
  });
}

async function asksOf(api: TestApi, otherUrl: string): Promise<number[]> {
  const at = async (url: string) =>
    (await fetch(new URL('/v1/account/profile', url), { headers: { authorization: `Bearer ${api.token}` } })).status;
  return [await at(api.url), await at(otherUrl)];
}
