import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import fc from 'fast-check';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { queryPrepared } from '../src/db/prepared.js';
import { insertTasks } from '../src/modules/probes/store.js';
import { TARGET_MAX_AT_ONCE } from '../src/modules/probes/target-budget.js';
import {
  type BudgetRequest,
  deleteFullBuckets,
  takeFromBudget,
  takenBy,
  takeTargetBudgets,
} from '../src/modules/probes/target-budget-store.js';
import { createTestDatabase } from './_support/database.js';
import { enrollPeer, PeerAgent, type PeerOptions } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

/** Takes for `wanted` nodes and stores their work, as a request does; resolves with the number granted. */
async function request(db: Knex, keys: readonly string[], wanted: number, weight = 1): Promise<number> {
  while (true) {
    try {
      return await requestOnce(db, keys, wanted, weight);
    } catch (error) {
      // others may hold a budget for longer than the function waits for it: nothing was taken
      if ((error as { code?: string }).code !== '55P03') throw error;
    }
  }
}

function requestOnce(db: Knex, keys: readonly string[], wanted: number, weight: number): Promise<number> {
  return db.transaction(async (trx) => {
    const granted = await takeFromBudget(trx, { keys, nodes: wanted, weight }, Date.now());
    const idsAt = Date.now();
    const [id = '', ...ids] = Array.from({ length: granted + 1 }, () => newId(idPrefixes.probeTask, idsAt)).sort();
    const nodeTasks = ids.map((nodeTaskId) => ({ id: nodeTaskId, nodeId: newId(idPrefixes.node), refusedCode: null }));
    const now = new Date();
    await insertTasks(trx, [
      {
        id,
        ownerId: null,
        isTest: false,
        probeType: 'tcp',
        target: 'example.com:80',
        spec: {},
        specJson: '{}',
        deadlineMs: 30_000,
        createdAt: now,
        expiresInMs: 60_000,
        targetKeys: keys,
        nodeTasks,
      },
    ]);
    return granted;
  });
}

const finishAll = (db: Knex) => db('probe_node_tasks').update({ state: 'done', finished_at: new Date() });
const setTokens = (db: Knex, tokens: number, ageSeconds = 0) =>
  db('target_buckets').update({ tokens, updated_at: db.raw(`now() - ? * interval '1 second'`, [ageSeconds]) });

/** Keeps budgets from growing while the test goes on. */
const holdTokens = (db: Knex) => db('target_buckets').update({ updated_at: db.raw("now() + interval '1 minute'") });

const { db } = await createTestDatabase(t);

/** Takes all budgets and tasks of earlier tests away. */
async function empty(): Promise<void> {
  for (const table of ['probe_node_tasks', 'probe_tasks', 'target_buckets']) await db(table).delete();
}

t.test('a target gets 30 nodes at once, and more as they finish', async (t) => {
  await empty();
  t.equal(await request(db, ['domain:a.example'], 20), 20);
  t.equal(await request(db, ['domain:a.example'], 20), 10);
  await setTokens(db, 50);
  t.equal(await request(db, ['domain:a.example'], 20), 0, 'tokens alone do not help');
  t.equal(await request(db, ['domain:b.example'], 20), 20, 'another target has a budget of its own');
  await finishAll(db);
  t.equal(await request(db, ['domain:a.example'], 20), 20);
});

t.test('a target gets its burst of 50, then ten probes a second', async (t) => {
  await empty();
  const take = async () => {
    const granted = await request(db, ['domain:a.example'], 30);
    await finishAll(db);
    return granted;
  };
  const bucket = () => db('target_buckets').first('tokens', db.raw('extract(epoch FROM updated_at)::float8 AS at'));
  t.equal(await take(), 30);
  await holdTokens(db);
  t.equal(await take(), 20, 'the rest of the burst');
  await setTokens(db, 0, 1);
  const { at } = await bucket();
  const granted = await take();
  const left = await bucket();
  t.ok(granted >= 10 && (left.tokens < 1 || granted === 30), 'all that is there after a second');
  t.ok(Math.abs(granted + left.tokens - 10 * (left.at - at)) < 0.1, 'ten for each second by the clock of the database');
  await setTokens(db, 0, 3_600);
  t.equal(await take(), 30, 'after an hour');
  await holdTokens(db);
  t.equal(await take(), 20, 'and no more than the burst');
});

/** Numbers of nodes that requests get one after another, given the tokens and the nodes at work of their keys. */
function grantedInTurn(
  requests: readonly BudgetRequest[],
  state: Map<string, { tokens: number; atWork: number }>,
): number[] {
  return requests.map(({ keys, nodes, weight }) => {
    const buckets = keys.flatMap((key) => state.get(key) ?? []);
    const room = buckets.map(({ tokens, atWork }) =>
      Math.min(Math.floor(tokens / weight), TARGET_MAX_AT_ONCE - atWork),
    );
    const got = Math.max(0, Math.min(nodes, ...room));
    for (const bucket of buckets) {
      bucket.tokens -= got * weight;
      bucket.atWork += got;
    }
    return got;
  });
}

t.test('requests of one statement get what they would get one after another, by their tightest key', async (t) => {
  await empty();
  const names = ['address:192.0.2.1', 'domain:a.example', 'network:192.0.2.0/24'];
  const anyRequest = fc.record({
    keys: fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }),
    nodes: fc.integer({ min: 1, max: 50 }),
    weight: fc.constantFrom(1, 4, 16),
  });
  const anyBucket = fc.record({
    tokens: fc.integer({ min: -8, max: 200 }).map((quarters) => quarters / 4),
    atWork: fc.integer({ min: 0, max: 32 }),
  });
  const statement = { name: 'take', text: `SELECT ${takeTargetBudgets(1)} AS granted` };
  const take = async (requests: readonly BudgetRequest[]) => {
    const [row] = await queryPrepared<{ granted: number[] }>(db, statement, takenBy(requests, Date.now()));
    return row?.granted;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.tuple(...names.map(() => anyBucket)),
      fc.array(anyRequest, { minLength: 1, maxLength: 12 }),
      async (buckets, requests) => {
        await db('probe_node_tasks').delete();
        await db('target_buckets').delete();
        const state = new Map(names.map((name, index) => [name, { tokens: 0, atWork: 0, ...buckets[index] }]));
        // a clock that is ahead: nothing refills meanwhile
        const updatedAt = new Date(Date.now() + 60_000);
        await db('target_buckets').insert(
          [...state].map(([key, { tokens }]) => ({ key, tokens, updated_at: updatedAt })),
        );
        const work = [...state].flatMap(([key, { atWork }]) => Array.from({ length: atWork }, () => workOn(key)));
        if (work.length > 0) await db('probe_node_tasks').insert(work);
        t.strictSame(await take(requests), grantedInTurn(requests, state));
        const left = await db('target_buckets').select('key', 'tokens');
        for (const { key, tokens } of left)
          if (requests.some(({ keys }) => keys.includes(key))) t.equal(tokens, state.get(key)?.tokens, key);
      },
    ),
    { numRuns: 60 },
  );
});

/** Row of a node at work on a target. */
function workOn(key: string) {
  const [id, taskId] = [newId(idPrefixes.probeTask), newId(idPrefixes.probeTask)];
  const expiresAt = new Date(Date.now() + 60_000);
  return { id, task_id: taskId, node_id: 'n_1', probe_type: 'tcp', expires_at: expiresAt, target_keys: [key] };
}

t.test('a heavy probe takes as many probes of the budget as its weight', async (t) => {
  await empty();
  const keys = ['domain:a.example'];
  t.equal(await request(db, keys, 5, 16), 3, 'three of 16 are in a burst of 50');
  await holdTokens(db);
  t.equal(await request(db, keys, 1, 16), 0);
  await holdTokens(db);
  t.equal(await request(db, keys, 20), 2, 'so many light ones are left of it');
});

t.test('the addresses of one network share a budget', async (t) => {
  await empty();
  await request(db, ['address:192.0.2.1', 'network:192.0.2.0/24'], 25);
  t.equal(await request(db, ['address:192.0.2.2', 'network:192.0.2.0/24'], 25), 5);
});

t.test('simultaneous requests never get more together than one alone', async (t) => {
  await empty();
  for (const keys of [['domain:a.example'], ['network:192.0.2.0/24', 'address:192.0.2.1']]) {
    const orders = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? keys : keys.toReversed()));
    const granted = await Promise.all(orders.map((order) => request(db, order, 10)));
    t.equal(
      granted.reduce((sum, count) => sum + count, 0),
      30,
      keys.join(),
    );
  }
});

t.test('buckets that have long been full again are deleted, the others stay', async (t) => {
  await empty();
  await request(db, ['domain:old.example'], 1);
  await setTokens(db, 49, 3_601);
  await request(db, ['domain:new.example'], 30);
  await db('target_buckets')
    .where({ key: 'domain:new.example' })
    .update({ updated_at: db.raw(`now() - interval '3 seconds'`) });
  await deleteFullBuckets(db);
  t.strictSame(await db('target_buckets').pluck('key'), ['domain:new.example']);
});

async function peers(t: Test, count: number, options: PeerOptions = {}) {
  const stack = await startStack(t);
  const linked: PeerAgent[] = [];
  for (let index = 0; index < count; index += 1) {
    linked.push(
      await PeerAgent.connect(t, stack.api.url, await enrollPeer(stack.api, { name: `peer ${index}` }), options),
    );
  }
  const buckets = async () => (await stack.database.db('target_buckets').orderBy('key').pluck('key')) as string[];
  return { ...stack, linked, db: stack.database.db, buckets };
}

t.test(
  'over the API: the budget applies to a target and its resolver, and not to the operator’s own ranges',
  async (t) => {
    const { api, linked, db, buckets } = await peers(t, 3);
    const post = (type: string, body: object) => api.call('POST', `/v1/probe/${type}`, { body });
    const end = async (id: string) => (await api.call('GET', `/v1/probe/tasks/${id}?wait=30`)).body.data;

    await t.test('exempt ranges cost nothing', async (t) => {
      t.equal((await post('tcp', { target: '127.0.0.1:80' })).status, 202);
      t.equal(
        (await post('dns', { target: '127.0.0.1', params: { record_type: 'PTR', server: '127.0.0.2' } })).status,
        202,
      );
      t.strictSame(await buckets(), []);
    });

    await t.test('nodes beyond the budget get a result that reports it, and no job', async (t) => {
      await db('target_buckets').insert({
        key: 'domain:example.com',
        tokens: 2,
        updated_at: new Date(Date.now() + 60_000),
      });
      const before = linked.flatMap((peer) => peer.jobs).length;
      const { status, body } = await post('tcp', { target: 'www.example.com:80', nodes: { limit: 3 } });
      t.equal(status, 202);
      t.equal(body.data.task_ids.length, 3);
      const task = await end(body.data.task_id);
      t.match(task, { status: 'completed', summary: { success_count: 2, fail_count: 1 } });
      const refused = task.node_results.filter((result: { success: boolean }) => !result.success);
      t.match(refused, [{ error: { code: 'target_rate_limited' }, started_at: null }]);
      await until('both jobs', () => linked.flatMap((peer) => peer.jobs).length >= before + 2);
      t.equal(linked.flatMap((peer) => peer.jobs).length, before + 2);
    });

    await t.test('a request for which nothing is left is refused with 429, and nothing of it is stored', async (t) => {
      await db('target_buckets').update({ tokens: 0, updated_at: new Date(Date.now() + 60_000) });
      const count = async () => (await db('probe_tasks').count('* as n'))[0]?.['n'];
      const before = await count();
      const { status, headers, body } = await post('tcp', { target: 'example.com:443' });
      t.match({ status, code: body.error.code }, { status: 429, code: 'RATE_LIMIT_EXCEEDED' });
      t.match(headers.get('retry-after'), /^[1-9]\d*$/);
      t.match(headers.get('x-ratelimit-reset'), /^\d{4}-.*Z$/);
      t.strictSame([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')], ['10', '0']);
      t.match(body.error.details, { target: [{ code: 'refused' }] }, 'it says that the target is the reason');
      t.equal(await count(), before);
    });

    await t.test(
      'a speed test is refused while a light probe is allowed, with the time when there is room for it',
      async (t) => {
        await db('target_buckets').delete();
        const updatedAt = new Date(Date.now() + 60_000);
        await db('target_buckets').insert({ key: 'domain:example.com', tokens: 2, updated_at: updatedAt });
        const heavy = await post('speedtest', { target: 'https://example.com/', nodes: { limit: 1 } });
        t.match({ status: heavy.status, code: heavy.body.error.code }, { status: 429, code: 'RATE_LIMIT_EXCEEDED' });
        t.ok(Number(heavy.headers.get('retry-after')) >= 2, 'sixteen probes are 1.6 seconds of it');
        t.equal((await post('tcp', { target: 'example.com:80', nodes: { limit: 1 } })).status, 202);
      },
    );

    await t.test('while a stopped replica holds the budget of a target, others are served', async (t) => {
      await db('target_buckets').delete();
      const stopped = await db.transaction();
      await takeFromBudget(stopped, { keys: ['domain:example.com'], nodes: 1, weight: 1 }, Date.now());
      const [held, other] = await Promise.all([
        post('tcp', { target: 'example.com:80' }),
        post('tcp', { target: 'example.org:80' }).then(() => post('tcp', { target: 'example.org:80' })),
      ]);
      await stopped.rollback();
      t.match({ status: held.status, code: held.body.error.code }, { status: 503, code: 'UNAVAILABLE' });
      t.equal(other.status, 202);
      t.equal((await post('tcp', { target: 'example.com:80' })).status, 202);
    });

    await t.test('a resolver of the caller’s choice is charged too', async (t) => {
      await db('target_buckets').delete();
      t.equal((await post('dns', { target: 'example.com', params: { server: '9.9.9.9' } })).status, 202);
      t.strictSame(await buckets(), ['address:9.9.9.9', 'domain:example.com', 'network:9.9.9.0/24']);
      await db('target_buckets').delete();
      await post('http', { target: 'http://127.0.0.1/', params: { resolver: '9.9.9.9' } });
      t.strictSame(await buckets(), ['address:9.9.9.9', 'network:9.9.9.0/24'], 'even where the target is exempt');
      await db('target_buckets').update({ tokens: 0, updated_at: new Date(Date.now() + 60_000) });
      t.equal((await post('dns', { target: 'example.org', params: { server: '9.9.9.9' } })).status, 429);
      t.equal((await post('dns', { target: 'example.org' })).status, 202, 'the nodes’ own resolvers are not charged');
    });
  },
);

t.test('over the API: simultaneous requests never put more than 30 nodes on one target', async (t) => {
  const { api, db } = await peers(t, 3, { isAnswering: false });
  const post = () => api.call('POST', '/v1/probe/tcp', { body: { target: 'example.com:80', nodes: { limit: 3 } } });
  const answers = await Promise.all(Array.from({ length: 16 }, post));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([202, 429]));
  t.equal(
    await db('probe_node_tasks')
      .where({ state: 'pending' })
      .count('* as n')
      .then(([row]) => row?.['n']),
    30,
  );
});
