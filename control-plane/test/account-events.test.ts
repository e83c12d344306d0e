import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { type AccountEventsPage, listAccountEvents } from '../src/modules/monitors/events/account-event-store.js';
import { personalOwner } from '../src/owners/index.js';
import { asUser } from './_support/owners.js';
import { planOf } from './_support/plan-of.js';
import { type ApiAnswer, createUserApi, startStack } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';

const MINUTE_MS = 60_000;
const BEGAN_MS = Date.parse('2026-11-20T00:00:00Z');
const PATH = '/v1/monitor-events';

const at = (minutes: number) => new Date(BEGAN_MS + minutes * MINUTE_MS);
const idsOf = ({ body }: ApiAnswer): string[] => body.data.items.map(({ id }: { id: string }) => id);

/** Stores an event that began at a minute and lasted one; `columns` as in table monitor_events. */
async function addEvent(db: Knex, monitorId: string, minute: number, columns: object = {}): Promise<string> {
  const id = newId(idPrefixes.monitorEvent);
  const times = { started_at: at(minute), ended_at: at(minute + 1) };
  await db('monitor_events').insert({ id, monitor_id: monitorId, type: 'down', ...times, ...columns });
  return id;
}

const { database, controlPlane } = await startStack(t);
const { db } = database;
let owners = 0;

/** An account without monitors. */
async function anOwner() {
  const api = await createUserApi(controlPlane, `owner${owners++}@test.example`, 'user');
  const own = (columns: object = {}) => insertMonitor(db, [], { owner_id: api.userId, ...columns });
  const list = (query = '', as = api.token) => api.call('GET', `${PATH}?${query}`, { as });
  return { api, own, list };
}

t.test(
  'events of all monitors are listed newest first, by cursor, and none twice even if new events begin',
  async (t) => {
    const { own, list } = await anOwner();
    const monitors = [await own(), await own(), await own()];
    for (let index = 0; index < 23; index += 1)
      await addEvent(db, monitors[index % 3]?.id ?? '', Math.floor(index / 2), {});
    const all = await list('limit=200');
    t.equal(new Set(idsOf(all)).size, 23);
    const began: string[] = all.body.data.items.map(({ started_at }: { started_at: string }) => started_at);
    t.strictSame(began, began.toSorted().toReversed());
    t.match(all.body.meta.pagination, { page_size: 200, has_more: false, next_cursor: null });
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const answer: ApiAnswer = await list(`limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
      seen.push(...idsOf(answer));
      cursor = answer.body.meta.pagination.next_cursor;
      await addEvent(db, monitors[0]?.id ?? '', 100);
    }
    t.strictSame(seen, idsOf(all), 'unchanged since the first page was read');
  },
);

t.test('events of an account are narrowed by each filter, and by all filters together', async (t) => {
  const { own, list } = await anOwner();
  const shop = await own({ tags: ['eu', 'prod'] });
  const site = await own();
  const first = await addEvent(db, shop.id, 0, { type: 'degraded', ack_at: at(1) });
  const second = await addEvent(db, site.id, 1);
  const open = await addEvent(db, shop.id, 2, { ended_at: null });
  const acked = await addEvent(db, site.id, 3, { ended_at: null, ack_at: at(4) });
  const cases: readonly [string, readonly string[]][] = [
    ['', [acked, open, second, first]],
    [`monitor_id=${shop.id}`, [open, first]],
    ['monitor_id=m_1', []],
    ['type=degraded', [first]],
    ['open=true', [acked, open]],
    ['open=false', [second, first]],
    ['acked=true', [acked, first]],
    ['acked=false', [open, second]],
    ['tag=EU', [open, first]],
    ['tag=e', []],
    [`from=${at(1).toISOString()}&to=${at(3).toISOString()}`, [open, second]],
    [`monitor_id=${shop.id}&type=down&open=true&acked=false&tag=prod&from=${at(2).toISOString()}`, [open]],
    ['open=true&type=degraded', []],
  ];
  for (const [query, ids] of cases) t.strictSame(idsOf(await list(query)), ids, query);
  const refused: readonly [string, string][] = [
    ['type=up', 'type'],
    ['open=perhaps', 'open'],
    ['acked=2', 'acked'],
    ['from=yesterday', 'from'],
    ['cursor=x', 'cursor'],
  ];
  for (const [query, field] of refused)
    t.match(await list(query), { status: 400, body: { error: { details: { [field]: [{}] } } } }, query);
});

t.test('events of other accounts are not listed, nor events of live monitors to a test key', async (t) => {
  const { api, own, list } = await anOwner();
  const live = await addEvent(db, (await own()).id, 0);
  const tried = await addEvent(db, (await own({ is_test: true })).id, 1);
  const other = await createUserApi(controlPlane, 'ada@test.example', 'user');
  const theirs = await insertMonitor(db, [], { owner_id: other.userId });
  const foreign = await addEvent(db, theirs.id, 2);
  const { key } = await controlPlane.services.tokens.apiKeys.create(
    asUser(api.userId),
    { name: 'test', type: 'test', scopes: ['monitor:read'] },
    program,
  );
  t.strictSame(idsOf(await list()), [tried, live]);
  t.strictSame(idsOf(await list('', key)), [tried]);
  t.strictSame(idsOf(await list('', other.token)), [foreign]);
  t.strictSame(idsOf(await list(`monitor_id=${theirs.id}`)), []);
});

const pages: readonly (Partial<AccountEventsPage> & { readonly index: RegExp })[] = [
  { index: /Index Scan using events_of_owners/ },
  { after: { atMs: BEGAN_MS, id: 'me_1' }, index: /Index Scan using events_of_owners/ },
  { fromMs: BEGAN_MS, toMs: BEGAN_MS + MINUTE_MS, index: /Index Scan using events_of_owners/ },
  { filter: { isAcked: false, type: 'down' }, index: /Index Scan using events_of_owners/ },
  { filter: { isOpen: true }, index: /Index Scan using open_events_of_owners/ },
];

t.test('a page of the events of an account is read from an index in its order', async (t) => {
  const { id, userId } = await insertMonitor(db, []);
  const other = await insertMonitor(db, []);
  await db.raw(
    `INSERT INTO monitor_events (id, monitor_id, type, started_at, ended_at)
     SELECT 'me_' || n, CASE WHEN n % 2 = 0 THEN :id ELSE :other END, 'down', timestamptz '2026-11-20' + n * interval '1 minute', 'infinity'
     FROM generate_series(1, 20000) n`,
    { id, other: other.id },
  );
  await db.raw(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count, consecutive_fail,
       consecutive_ok, fail_node_quorum)
     SELECT 'm_' || n, owner_id, created_by, 'm_' || n, type, target, interval_s, config, node_selection, node_count, consecutive_fail,
       consecutive_ok, fail_node_quorum
     FROM monitors, generate_series(1, 3000) n WHERE id = :other`,
    { other: other.id },
  );
  await db.raw(
    `INSERT INTO monitor_events (id, monitor_id, type, started_at)
     SELECT 'me_open_' || n, 'm_' || n, 'down', now() FROM generate_series(1, 3000) n`,
  );
  await db.raw('ANALYZE monitor_events');
  for (const { index, ...page } of pages) {
    const plan = await planOf(db, () =>
      listAccountEvents(db, personalOwner(userId), {
        filter: {},
        fromMs: null,
        toMs: null,
        after: null,
        limit: 21,
        ...page,
      }),
    );
    t.match(plan, index, JSON.stringify(page));
    t.notMatch(plan, /Sort|Seq Scan/, JSON.stringify(page));
  }
});
