import t, { type Test } from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { createUserApi, startStack, type TestApi } from './_support/stack.js';
import { within } from './_support/within.js';

/** Longest processing time of a line of input, in milliseconds; a server that needs longer can be taken down by it. */
const PATIENCE_MS = 60_000;

/** Malicious settings: a description, the place where the error is reported, and the settings. */
type Refusal = readonly [name: string, body: object, field: string, message: RegExp];

const asserting = (assertion: object) => ({ assertions: [assertion] });
const regex = (value: unknown) => asserting({ type: 'body_regex', op: 'regex', value });
const jsonPath = (path: unknown) => asserting({ type: 'json_path', op: 'eq', value: 1, path });
const cron = (cron_expr: unknown, more: object = {}) => ({ config: { mode: 'cron', cron_expr, ...more } });
const tags = (count: number) => Array.from({ length: count }, (_, index) => `tag-${index}`);

const PATTERN = 'config.assertions.0.value';
const PATH = 'config.assertions.0.path';
const EXPRESSION = 'config.cron_expr';
const ZONE = 'config.timezone';

const ofHttp: readonly Refusal[] = [
  ['repetitions of repetitions', regex('((((a{100}){100}){100}){100}){100}'), PATTERN, /more than 200 times/],
  ['a repeated choice', regex('(a|b){1000}{1000}'), PATTERN, /more than 200 times/],
  ['a back reference', regex('(a+)\\1'), PATTERN, /RE2/],
  ['a look ahead', regex('(?=(a+)+)b'), PATTERN, /RE2/],
  ['an open bracket', regex('['), PATTERN, /RE2/],
  ['a long pattern', regex('a'.repeat(257)), PATTERN, /256/],
  ['an object for a pattern', regex({ $gt: '' }), PATTERN, /pattern/],
  ['a path with a function', jsonPath('$[?length(@.a) > 1]'), PATH, /functions/],
  ['a path with a pattern', jsonPath('$[?match(@.a, "(a+)+")]'), PATH, /functions/],
  ['a path that is a script', jsonPath('$[?(@.constructor.constructor("return process")())]'), PATH, /RFC 9535/],
  ['a path of a hundred filters', jsonPath(`$${'[?@'.repeat(100)}${']'.repeat(100)}`), PATH, /256/],
  ['an index beyond the range of numbers', jsonPath('$[99999999999999999999]'), PATH, /index/],
  ['an unterminated path', jsonPath('$[::0'), PATH, /RFC 9535/],
  ['a long path', jsonPath(`$${'.a'.repeat(200)}`), PATH, /256/],
  ['twenty-one assertions', { assertions: Array(21).fill(jsonPath('$.a').assertions[0]) }, 'assertions', /20/],
  ['no interval', { interval_s: 0 }, 'interval_s', /one of 10, 30/],
  ['a negative interval', { interval_s: -60 }, 'interval_s', /one of 10, 30/],
  ['half a second', { interval_s: 0.5 }, 'interval_s', /integer/],
  ['an unsupported interval', { interval_s: 31 }, 'interval_s', /one of 10, 30/],
  ['a huge interval', { interval_s: 1e308 }, 'interval_s', /one of 10, 30/],
  ['a text for an interval', { interval_s: '60' }, 'interval_s', /integer/],
  ['fifty-one tags', { tags: tags(51) }, 'tags', /50/],
  ['a long tag', { tags: ['t'.repeat(65)] }, 'tags.0', /64/],
  ['a tag of blanks', { tags: ['   '] }, 'tags.0', /must not be blank/],
  ['ten thousand tags', { tags: tags(10_000) }, 'body', /32768 bytes/],
  ['a tag that cannot be stored', { tags: ['a\u0000b'] }, 'tags.0', /U\+0000/],
  ['half of a surrogate pair', { name: 'a\ud800b' }, 'name', /surrogate/],
  [
    'settings with members of every object',
    { config: JSON.parse('{"__proto__": {"timeout_ms": 1}}') },
    'config.__proto__',
    /known/,
  ],
];

const ofHeartbeats: readonly Refusal[] = [
  ['six fields', cron('0 0 * * * *'), EXPRESSION, /five fields/],
  ['every second', cron('* * * * * *'), EXPRESSION, /five fields/],
  ['a word', cron('@every 1s'), EXPRESSION, /five fields/],
  ['two lines', cron('0 0 * * *\n* * * * *'), EXPRESSION, /five fields/],
  ['30 February', cron('0 0 30 2 *'), EXPRESSION, /never fires/],
  ['31 November', cron('0 0 31 4,6,9,11 *'), EXPRESSION, /never fires/],
  ['a step of zero', cron('*/0 * * * *'), EXPRESSION, /step/],
  ['an endless range', cron('0-999999999 * * * *'), EXPRESSION, /minute/],
  ['a reversed range', cron('50-10 * * * *'), EXPRESSION, /50-10/],
  ['a long list', cron(`${'0,'.repeat(5_000)}0 * * * *`), EXPRESSION, /100 characters/],
  ['an unknown zone', cron('0 0 * * *', { timezone: 'Mars/Olympus' }), ZONE, /Mars/],
  ['a path as a time zone', cron('0 0 * * *', { timezone: '../../../etc/passwd' }), ZONE, /no such time zone/],
  ['an offset that is not a time zone', cron('0 0 * * *', { timezone: 'UTC+99:99' }), ZONE, /no such time zone/],
  ['every second, by interval', { config: { interval_s: 1 } }, 'config.interval_s', /at least 30/],
];

const from = { scope_type: 'all', starts_at: '2026-11-22T22:00:00Z', ends_at: '2026-11-22T23:00:00Z' };
const ofWindows: readonly Refusal[] = [
  ['an unknown zone', { timezone: 'Mars/Olympus' }, 'timezone', /IANA/],
  ['a thousand tags', { scope_type: 'tag', scope_ids: tags(1_000) }, 'scope_ids', /200/],
  ['an end before its beginning', { ends_at: '2026-11-22T21:00:00Z' }, 'ends_at', /after/],
  ['a day of thirty hours', { recurrence: 'daily', ends_at: '2026-11-24T04:00:00Z' }, 'ends_at', /24 hours/],
  ['30 February', { starts_at: '2026-02-30T22:00:00Z' }, 'starts_at', /date/],
];

/** Sends invalid settings, and checks that they are refused in time, by name. */
async function isRefused(
  t: Test,
  { api, method, path, basis }: { api: TestApi; method: string; path: string; basis: object },
  refusals: readonly Refusal[],
): Promise<void> {
  for (const [name, body, field, message] of refusals) {
    const answer = await within(name, api.call(method, path, { body: { ...basis, ...body } }), PATIENCE_MS);
    const { code, details } = answer.body.error ?? {};
    t.equal(answer.status, field === 'body' ? 413 : 400, `${method} ${path}: ${name}: ${code}`);
    t.match(details?.[field]?.[0]?.message, message, `${field} in ${JSON.stringify(details)}`);
  }
}

t.test(
  'bombs of patterns, paths, cron expressions, time zones and tags are refused by name, and nothing is kept',
  async (t) => {
    const { api, database } = await startStack(t);
    await CheckingNode.join(t, api);
    const made = async (body: object) => (await api.call('POST', '/v1/monitors', { body })).body.data;
    const http = { type: 'http', target: 'http://127.0.0.1/' };
    const site = await made({ name: 'Site', ...http });
    const job = await made({ name: 'Job', type: 'heartbeat' });
    const stored = () =>
      Promise.all(['monitors', 'heartbeats', 'maintenance_windows'].map((name) => database.db(name)));
    const before = await stored();
    const to = (method: string, path: string, basis: object = {}) => ({ api, method, path, basis });
    await isRefused(t, to('POST', '/v1/monitors', { name: 'Bomb', ...http }), ofHttp);
    await isRefused(t, to('PATCH', `/v1/monitors/${site.id}`), ofHttp);
    await isRefused(t, to('POST', '/v1/monitors', { name: 'Bomb', type: 'heartbeat' }), ofHeartbeats);
    await isRefused(t, to('PATCH', `/v1/monitors/${job.id}`), ofHeartbeats);
    await isRefused(t, to('POST', '/v1/maintenance-windows', from), ofWindows);
    t.strictSame(await stored(), before, 'everything is unchanged');
  },
);

t.test('an interval below the plan’s minimum, and a monitor over its limit, are refused', async (t) => {
  const plans = '{"free": {"monitors": 1, "min_interval_s": 60}}';
  const { api, controlPlane, database } = await startStack(t, { VANTAGE_PLANS: plans });
  await CheckingNode.join(t, api);
  const free = await createUserApi(controlPlane, 'free@test.example', 'user');
  await database.db('owners').where({ id: free.userId }).update({ plan: 'free' });
  const make = (body: object) =>
    free.call('POST', '/v1/monitors', { body: { name: 'Site', type: 'http', target: 'http://127.0.0.1/', ...body } });
  for (const interval_s of [10, 30])
    t.match(await make({ interval_s }), { status: 403, body: { error: { code: 'FEATURE_LOCKED' } } });
  const { id } = (await make({ interval_s: 60 })).body.data;
  const changed = await free.call('PATCH', `/v1/monitors/${id}`, { body: { interval_s: 30 } });
  t.match(changed, { status: 403, body: { error: { code: 'FEATURE_LOCKED' } } });
  t.match(await make({ name: 'Another' }), { status: 429, body: { error: { code: 'MONITOR_LIMIT_EXCEEDED' } } });
  t.strictSame(await database.db('monitors').select('name', 'interval_s'), [{ name: 'Site', interval_s: 60 }]);
});
