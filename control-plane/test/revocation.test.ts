import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { pino } from 'pino';
import t from 'tap';
import { ShutOutPoll } from '../src/modules/nodes/shut-out-poll.js';
import { lockWaits } from './_support/lock-waits.js';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { finishedTask, submit } from './_support/probes.js';
import { startReplica, startStack } from './_support/stack.js';

// A ban written straight into the table is one whose every message was lost: nothing is sent on the bus.
const silentBan = { banned_at: new Date(), ban_reason: 'forged results' };

// Taken inside the ban's own transaction, which locks the node's row: rows committed after it are not in the count.
const WITNESS = `
  CREATE TABLE ban_witness (node_id text, done bigint);
  CREATE FUNCTION witness() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO ban_witness SELECT NEW.id, count(*) FROM probe_node_tasks WHERE node_id = NEW.id AND state = 'done';
    RETURN NEW;
  END $$;
  CREATE TRIGGER witness AFTER UPDATE ON nodes FOR EACH ROW
    WHEN (OLD.banned_at IS NULL AND NEW.banned_at IS NOT NULL) EXECUTE FUNCTION witness();
`;

const { api, database } = await startStack(t);
const { db } = database;
const replica = async () => (await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url })).listenUrl;
const urls = [api.url, await replica(), await replica()];

t.test(
  'none of the results in flight when a node is banned is committed after the ban, on any of three replicas',
  async (t) => {
    await db.raw(WITNESS);
    for (const url of urls) {
      const identity = await enrollPeer(api);
      const peer = await PeerAgent.connect(t, url, identity, { isAnswering: false });
      await until('every replica to know that it is online', async () => {
        const { body } = await api.call('GET', `/v1/nodes/${identity.nodeId}`);
        return body.data?.status === 'online';
      });
      const probe = { target: '127.0.0.1:1', node_id: identity.nodeId };
      const tasks = await Promise.all(Array.from({ length: 30 }, () => submit(api, 'tcp', probe)));
      const done = () => db('probe_node_tasks').where({ node_id: identity.nodeId, state: 'done' });
      const send = (from: number, to: number) => {
        for (const { taskIds } of tasks.slice(from, to)) peer.sendResults([successOf(taskIds[0] ?? '', 'tcp')]);
      };
      send(0, 1);
      await until('the first result to be committed', async () => (await done()).length === 1);
      send(1, 15);
      // no result is stored any more until the ban is: those that are sent meanwhile are in flight
      const ban = await db.transaction();
      await ban('nodes').where({ id: identity.nodeId }).forUpdate().first('id');
      send(15, 20);
      await until('a result to wait for the ban', async () => (await lockWaits(db)) > 0);
      t.equal(await ban('nodes').where({ id: identity.nodeId }).update(silentBan), 1);
      await ban.commit();
      send(20, tasks.length);
      t.match(
        await peer.waitForClose(),
        { code: 4403, reason: 'CLOSE_BANNED' },
        'the link closes although no message was sent',
      );
      await until('all its work to have ended', async () => {
        const left = await db('probe_node_tasks').where({ node_id: identity.nodeId, state: 'pending' }).first('id');
        return left === undefined;
      });
      const witness = await db('ban_witness').where({ node_id: identity.nodeId }).first('done');
      const before = Number(witness.done);
      t.equal((await done()).length, before, `${before} committed before the ban`);
      t.ok(before < tasks.length, 'some were in flight, or came after it');
      const first = await finishedTask(api, tasks[0]?.taskId ?? '');
      t.match(
        first.node_results[0],
        { success: true, trust: 'banned_since', banned_at: /Z$/ },
        'earlier results are marked',
      );
    }
  },
);

t.test(
  'a node that is banned while it is offline is refused everywhere, whichever replica knows of the ban',
  async (t) => {
    const identity = await enrollPeer(api);
    await db('nodes').where({ id: identity.nodeId }).update(silentBan);
    for (const url of urls) {
      const peer = await PeerAgent.dial(t, url, identity);
      t.match(await peer.waitForClose(), { code: 4403, reason: 'CLOSE_BANNED' });
    }
  },
);

t.test('bans are polled for while there are links, within a second, and a failing database ends no link', async (t) => {
  const clock = new FakeClock();
  const seen: string[][] = [];
  let isFailing = true;
  let hasLinks = false;
  let looks = 0;
  const shutOutPoll = new ShutOutPoll({
    nodes: {
      listShutOutLately: async () => {
        looks += 1;
        if (isFailing) throw new Error('connection refused');
        return ['n_1'];
      },
    },
    hasLinks: () => hasLinks,
    refresh: async (ids) => void seen.push([...ids]),
    clock,
    log: pino({ level: 'silent' }),
  });
  shutOutPoll.start();
  t.teardown(() => shutOutPoll.stop());
  const pass = async (ms: number) => {
    await until('the next poll to be waited for', () => clock.pendingTimers === 1);
    clock.advance(ms);
    await until('the poll to end', () => clock.pendingTimers === 1);
  };
  for (let passedMs = 0; passedMs < 10_000; passedMs += 800) await pass(800);
  t.equal(looks, 0, 'no link, no poll');
  hasLinks = true;
  await pass(800);
  t.match({ looks, seen }, { looks: 1, seen: [] });
  isFailing = false;
  await pass(800);
  await pass(800);
  t.same(seen, [['n_1'], ['n_1']]);
});
