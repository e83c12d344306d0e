import { idPrefixes, newId } from '@vantage/shared/ids.js';
import t from 'tap';
import { type ApiAnswer, startStack } from './_support/stack.js';
import { insertMonitor } from './_support/stored-monitor.js';

const MINUTE_MS = 60_000;
const BEGAN_MS = Date.parse('2026-11-20T00:00:00Z');

/** A monitor with the given number of events a minute apart, two of them at a time, all of them over. */
async function withEvents(test: typeof t, count: number) {
  const { api, database } = await startStack(test as never);
  const { id } = await insertMonitor(database.db, [], { owner_id: api.userId });
  const add = async (atMs: number) => {
    const times = { started_at: new Date(atMs), ended_at: new Date(atMs + 1_000) };
    const event = { id: newId(idPrefixes.monitorEvent), monitor_id: id, type: 'down', affected_nodes: [], ...times };
    await database.db('monitor_events').insert(event);
  };
  for (let index = 0; index < count; index += 1) await add(BEGAN_MS + Math.floor(index / 2) * MINUTE_MS);
  const list = (query: string): Promise<ApiAnswer> => api.call('GET', `/v1/monitors/${id}/events?${query}`);
  return { api, id, add, list };
}

const idsOf = ({ body }: ApiAnswer): string[] => body.data.items.map(({ id }: { id: string }) => id);

t.test('events are listed newest first, by page and by cursor, and none twice although new events begin', async (t) => {
  const { list, add, id } = await withEvents(t as never, 23);
  const all = idsOf(await list('limit=200'));
  t.equal(new Set(all).size, 23);
  const pages = await Promise.all([1, 2, 3, 4].map((page) => list(`limit=7&page=${page}`)));
  t.strictSame(pages.flatMap(idsOf), all);
  t.match(pages[3]?.body, {
    data: { page: 4, limit: 7, total: 23, monitor_id: id },
    meta: { pagination: { has_more: false } },
  });
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const answer: ApiAnswer = await list(`limit=7${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...idsOf(answer));
    cursor = answer.body.meta.pagination.next_cursor;
    await add(BEGAN_MS + 100 * MINUTE_MS);
  }
  t.strictSame(seen, all, 'unchanged since the first page was read');
  const second = await list('limit=7&page=2');
  const on = await list(`limit=7&cursor=${second.body.meta.pagination.next_cursor}`);
  t.strictSame(idsOf(on), idsOf(await list('limit=7&page=3')), 'a cursor continues where a page ended');
});

t.test('events are filtered by their beginning, and a cursor of another list is refused', async (t) => {
  const { api, list, id } = await withEvents(t as never, 10);
  const at = (minutes: number) => new Date(BEGAN_MS + minutes * MINUTE_MS).toISOString();
  const some = await list(`from=${at(1)}&to=${at(3)}`);
  t.match(some.body.data, { total: 4 });
  t.ok(some.body.data.items.every(({ started_at }: { started_at: string }) => [at(1), at(2)].includes(started_at)));
  t.equal((await list('from=-1m')).body.data.total, 0);
  const audit = (await api.call('GET', '/v1/account/audit?limit=1')).body.meta?.pagination?.next_cursor;
  t.type(audit, 'string');
  for (const query of ['cursor=x', `cursor=${audit}`, 'from=yesterday', `from=${at(3)}&to=${at(1)}`])
    t.equal((await list(query)).status, 400, query);
  const { next_cursor: cursor } = (await list('limit=2')).body.meta.pagination;
  t.match(await list(`cursor=${cursor}&page=2`), { status: 400, body: { error: { details: { page: [{}] } } } });
  t.equal((await api.call('GET', `/v1/monitors/${id}/events?cursor=${cursor}`, { as: null })).status, 401);
});
