import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { storeVitals, VitalsLog } from '../src/links/index.js';
import { createLogger } from '../src/runtime/log.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startReplica, startStack } from './_support/stack.js';

const clock = new FakeClock(Date.now(), { rounds: [] });
const { api, database } = await startStack(t, {}, clock);
const { db } = database;
const shownOf = async (nodeId: string) =>
  (await api.call('GET', '/v1/admin/nodes')).body.data.items.find(({ id }: { id: string }) => id === nodeId);
const spool = { rows: 3, bytes: 900, oldestMs: 5000, dropped: 2, problem: null };

t.test(
  'vitals in a node’s heartbeat are shown by every replica, and outlive the replica that received them',
  async (t) => {
    const other = await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url });
    const identity = await enrollPeer(api);
    const shown = () => shownOf(identity.nodeId);
    t.match(await shown(), { last_seen_at: null, spool: null, version: '0.1.0', geo_mismatch: false, ban: null });
    const peer = await PeerAgent.connect(t, other.listenUrl, identity);
    peer.spool = { spoolRows: 3, spoolBytes: 900, spoolOldestMs: 5000, spoolDropped: 2, spoolProblem: 'disk full' };
    peer.send({ heartbeat: { sequence: 1, transmitMs: 1, ...peer.spool } });
    await peer.waitFor('the response', ({ heartbeat }) => heartbeat?.isReply === true);
    await other.stop();
    await until('it to be recorded', async () => (await shown()).spool !== null);
    t.match(await shown(), {
      last_seen_at: /Z$/,
      spool: { rows: 3, bytes: 900, oldest_seconds: 5, dropped_rows: 2, problem: 'disk full' },
    });
  },
);

t.test(
  'heartbeats are recorded once a minute, those of all nodes together, without changing the nodes’ rows',
  async (t) => {
    const clock = new FakeClock(1_800_000_000_000);
    const links = [1, 2, 3].map((index) => ({ nodeId: `n_${index}`, heardAt: 0, spool }));
    let statements = 0;
    const vitals = new VitalsLog({
      links: () => links,
      store: (rows) => {
        statements += rows.length > 0 ? 1 : 0;
        return storeVitals(db, rows);
      },
      clock,
      log: createLogger('silent'),
    });
    vitals.start();
    for (const link of links.slice(0, 2)) link.heardAt = clock.now();
    clock.advance(59_000);
    t.equal(statements, 0);
    clock.advance(1_000);
    const noted = () => db('node_vitals').whereLike('node_id', 'n\\__').orderBy('node_id').select('node_id', 'seen_at');
    await until('two to be recorded', async () => (await noted()).length === 2);
    t.equal(statements, 1);
    await storeVitals(db, [{ nodeId: 'n_1', seenAt: new Date(1_700_000_000_000), spool }]);
    t.same(
      (await noted())[0].seen_at,
      new Date(1_800_000_000_000),
      'an older record of another replica no longer counts',
    );
    await vitals.stop();
    t.equal(statements, 1, 'no heartbeat was received since');
  },
);

t.test('a node’s last vitals are recorded even if its link closed before the minute was over', async (t) => {
  const identity = await enrollPeer(api);
  const peer = await PeerAgent.connect(t, api.url, identity);
  peer.send({ heartbeat: { sequence: 1, transmitMs: 1, spoolRows: 3, spoolProblem: 'disk full' } });
  await peer.waitFor('the response', ({ heartbeat }) => heartbeat?.isReply === true);
  peer.cut();
  const isOffline = async () =>
    (await db('nodes').where({ id: identity.nodeId }).first('session_id')).session_id === null;
  await until('its link to be over', isOffline);
  clock.advance(60_000);
  const shown = () => shownOf(identity.nodeId);
  await until('it to be recorded', async () => (await shown()).last_seen_at !== null);
  t.match(await shown(), { status: 'offline', spool: { rows: 3, problem: 'disk full' } });
});

t.test(
  'of several links of one node within a minute the last vitals are recorded, once a store succeeds',
  async (t) => {
    const clock = new FakeClock(1_800_000_000_000);
    const stored: unknown[] = [];
    let isThere = false;
    const open = { nodeId: 'n_1', heardAt: 0, spool };
    const vitals = new VitalsLog({
      links: () => [open],
      store: async (rows) => {
        if (!isThere) throw new Error('the database is unavailable');
        stored.push(...rows);
      },
      clock,
      log: createLogger('silent'),
    });
    const at = clock.now();
    vitals.takeLeft({ nodeId: 'n_1', heardAt: at - 1, spool: { ...spool, rows: 2 } });
    vitals.takeLeft({ nodeId: 'n_1', heardAt: at - 2, spool: { ...spool, rows: 1 } });
    vitals.takeLeft({ nodeId: 'n_2', heardAt: 0, spool });
    await vitals.note();
    t.same(stored, []);
    isThere = true;
    await vitals.note();
    t.same(stored, [{ nodeId: 'n_1', seenAt: new Date(at - 1), spool: { ...spool, rows: 2 } }]);
    clock.advance(1_000);
    await vitals.note();
    t.equal(stored.length, 1, 'recorded vitals are not kept');
  },
);
