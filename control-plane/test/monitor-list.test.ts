import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { becomes } from './_support/heartbeats.js';
import { type ApiAnswer, createUserApi, startStack, type TestApi } from './_support/stack.js';

async function make(api: TestApi, fields: object): Promise<string> {
  const body = { type: 'tcp', target: '127.0.0.1:9', ...fields };
  const answer = await api.call('POST', '/v1/monitors', { body });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body.data.id;
}

const namesOf = ({ body }: ApiAnswer): string[] => body.data.items.map(({ name }: { name: string }) => name);

t.test('monitors are listed newest first, page by page, up to a hundred at once', async (t) => {
  const { api, controlPlane } = await startStack(t);
  await CheckingNode.join(t, api);
  const names = Array.from({ length: 7 }, (_, index) => `Shop ${index}`);
  for (const name of names) await make(api, { name });
  const newest = names.toReversed();
  const list = (query: string) => api.call('GET', `/v1/monitors?${query}`);
  const all = await list('limit=100');
  t.strictSame(namesOf(all), newest);
  t.match(all.body, { data: { total: 7, page: 1, limit: 100 }, meta: { pagination: { has_more: false } } });
  const pages = [await list('limit=3'), await list('limit=3&page=2'), await list('limit=3&page=3')];
  t.strictSame(pages.map(namesOf), [newest.slice(0, 3), newest.slice(3, 6), newest.slice(6)]);
  t.match(pages[1]?.body, { data: { total: 7, page: 2, limit: 3 }, meta: { pagination: { has_more: true } } });
  t.match((await list('limit=3&page=4')).body.data, { items: [], total: 7, page: 4 });
  const tooMany = await list('limit=101');
  t.match([tooMany.status, tooMany.body.error], [400, { details: { limit: [{ code: 'range' }] } }]);
  const other = await createUserApi(controlPlane, 'ada@test.example', 'user');
  t.match((await other.call('GET', '/v1/monitors')).body.data, { items: [], total: 0 }, 'those of others do not exist');
});

t.test('a list of monitors is narrowed by each filter, and by all of them together', async (t) => {
  const { api } = await startStack(t);
  const node = await CheckingNode.join(t, api);
  const group_id = (await api.call('POST', '/v1/monitor-groups', { body: { name: 'Group' } })).body.data.id;
  const shop = await make(api, { name: 'Shop', tags: ['Prod', 'eu'], group_id });
  await make(api, { name: '100% of it', tags: ['prod'] });
  const paused = await make(api, { name: 'Paused', target: '127.0.0.1:10', group_id });
  const archived = await make(api, { name: 'Archived', tags: ['eu'] });
  await make(api, { name: 'Certificate', type: 'ssl', target: '127.0.0.1' });
  await make(api, { name: 'Backup', type: 'heartbeat', target: undefined });
  await api.call('POST', `/v1/monitors/${paused}/pause`);
  await api.call('POST', `/v1/monitors/${archived}/archive`);
  await node.waitForAssignment(shop);
  node.check(shop, 'failed');
  await becomes(api, shop, 'down');
  const cases: readonly [string, readonly string[]][] = [
    ['type=heartbeat', ['Backup']],
    ['type=tcp', ['Archived', 'Paused', '100% of it', 'Shop']],
    ['type=tcping', ['Archived', 'Paused', '100% of it', 'Shop']],
    ['type=ssl_expiry', ['Certificate']],
    ['type=ssl', ['Certificate']],
    ['type=domain', []],
    ['type=rag', []],
    ['status=active', ['Backup', 'Certificate', '100% of it', 'Shop']],
    ['status=paused', ['Paused']],
    ['status=archived', ['Archived']],
    ['current_status=down', ['Shop']],
    ['current_status=unknown', ['Backup', 'Certificate', 'Archived', 'Paused', '100% of it']],
    ['current_status=up', []],
    [`group_id=${group_id}`, ['Paused', 'Shop']],
    ['group_id=mgr_1', []],
    ['tag=PROD', ['100% of it', 'Shop']],
    ['tag=pro', []],
    ['sort=name&status=active', ['100% of it', 'Backup', 'Certificate', 'Shop']],
    ['sort=attention', ['Shop', '100% of it', 'Backup', 'Certificate', 'Archived', 'Paused']],
    ['sort=-last_check_at', ['Shop', 'Backup', 'Certificate', 'Archived', 'Paused', '100% of it']],
    ['q=SHO', ['Shop']],
    ['q=%3A10', ['Paused']],
    ['q=%25', ['100% of it']],
    ['q=f_i', []],
    [`tag=eu&status=active&type=tcp&current_status=down&group_id=${group_id}&q=shop`, ['Shop']],
    ['tag=eu&q=paused', []],
  ];
  for (const [query, names] of cases) {
    const answer = await api.call('GET', `/v1/monitors?${query}`);
    t.strictSame(namesOf(answer), names, query);
    t.equal(answer.body.data.total, names.length, query);
  }
  for (const field of ['type', 'status', 'current_status']) {
    const { status, body } = await api.call('GET', `/v1/monitors?${field}=nonsense`);
    t.match([status, body.error.details?.[field]?.[0]?.code], [400, 'enum'], field);
  }
});
