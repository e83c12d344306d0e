import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { aHeartbeat, eventsOf, ping, pingsOf, read } from './_support/heartbeats.js';
import { keepEvents, monitorEvents } from './_support/kept-events.js';
import { createUserApi, startStack } from './_support/stack.js';

const clock = new FakeClock(Date.now(), { rounds: ['heartbeats'] });
const plans = { anonymous: { requests_per_minute: null }, free: { monitors: 1 } };
const stack = await startStack(t, { VANTAGE_PLANS: JSON.stringify(plans) }, clock);
const { api, controlPlane } = stack;
const { db } = stack.database;
await keepEvents(db);

/** Judges what is due, and checks the status of a monitor. */
async function becomes(t: Test, id: string, expected: string): Promise<void> {
  await clock.sweep();
  t.equal((await read(api, id)).current_status, expected);
}

t.test('a heartbeat is created with a token that is shown once, and is new until its first ping', async (t) => {
  const made = await aHeartbeat(api, { target: 'ignored', interval_s: 17, config: undefined });
  t.match(made, {
    type: 'heartbeat',
    interval_s: 86_400,
    config: { mode: 'interval', interval_s: 86_400, grace_s: 3_600, timezone: 'UTC', max_duration_s: 0 },
    current_status: 'unknown',
    node_count: 0,
    assigned_node_ids: [],
    uptime_percent: null,
    last_check_at: null,
    next_check_at: null,
  });
  const { token, ...shown } = made.heartbeat;
  t.match(token, /^hb_[A-Za-z0-9_-]{61}$/);
  t.equal(made.target, token.slice(0, 11));
  t.match(shown, { url: `${api.url}/hb/${token}`, state: 'new', badge_url: /\/badge\/m_\w{22}-[\w-]{22}\.svg$/ });
  const { heartbeat } = await read(api, made.id);
  t.match(heartbeat, {
    url: shown.url,
    badge_url: shown.badge_url,
    state: 'new',
    last_ping_at: null,
    last_ping_ip: null,
    last_ping_via: null,
    ping_count: 0,
  });
  t.equal(heartbeat.next_expected.length, 10);
  t.notOk('token' in heartbeat);
  const [row] = (await api.call('GET', '/v1/monitors')).body.data.items;
  t.notOk('heartbeat' in row, 'items of a list have no such block');
});

t.test('a ping by GET, HEAD or POST is answered OK, counts and is shown; unknown tokens are refused', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  for (const method of ['GET', 'HEAD', 'POST']) {
    const response = await fetch(heartbeat.url, { method, headers: { authorization: 'Bearer nonsense' } });
    t.equal(response.status, 200);
    t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    t.equal(await response.text(), method === 'HEAD' ? '' : 'OK');
    t.equal((await read(api, id)).heartbeat.last_ping_via, method);
  }
  await becomes(t, id, 'up');
  const monitor = await read(api, id);
  t.match(monitor.heartbeat, {
    state: 'up',
    ping_count: 3,
    last_ping_ip: '127.0.0.1',
    last_ping_at: monitor.last_check_at,
  });
  t.equal(Date.parse(monitor.next_check_at), Date.parse(monitor.last_check_at) + 86_400_000 + 3_600_000);
  t.equal(monitor.heartbeat.next_expected[0], new Date(Date.parse(monitor.last_check_at) + 86_400_000).toISOString());
  for (const token of ['hb_x', 'x', heartbeat.token.slice(0, -1), `${heartbeat.token}x`]) {
    t.equal((await fetch(`${api.url}/hb/${token}`)).status, 404, token);
  }
});

t.test('curl checks in as documented', { skip: missing('curl') }, async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  const curl = async (...args: readonly string[]) => (await promisify(execFile)('curl', ['-fsS', ...args])).stdout;
  t.equal(await curl('-m', '10', '--retry', '5', heartbeat.url), 'OK');
  t.equal(await curl('--data-raw', 'backed up 3 files', heartbeat.url), 'OK');
  t.equal(await curl(`${heartbeat.url}/0`), 'OK');
  await becomes(t, id, 'up');
  t.equal(await curl(`${heartbeat.url}/3`), 'OK');
  await becomes(t, id, 'down');
});

// Each is down at once, with its reason.
const failures: readonly { name: string; config: object; path: string; init?: RequestInit; reason: RegExp }[] = [
  { name: '/fail', config: {}, path: '/fail', reason: /reported a failure/ },
  { name: 'an exit code', config: {}, path: '/1', reason: /exit code 1/ },
  {
    name: 'a body without its text',
    config: { assert_body_contains: 'Größe: OK' },
    path: '',
    init: { method: 'POST', body: 'Größe: 0' },
    reason: /lacks the text/,
  },
  {
    name: 'no body although a text is required',
    config: { assert_body_contains: 'OK' },
    path: '',
    reason: /lacks the text/,
  },
];

t.test('a failure takes the monitor down at once, in every form, and the next good ping ends it', async (t) => {
  for (const { name, config, path, init = {}, reason } of failures) {
    const { id, heartbeat } = await aHeartbeat(api, { name, config });
    await ping(`${heartbeat.url}${path}`, init);
    await becomes(t, id, 'down');
    const [event] = await eventsOf(api, id);
    t.match(event, { type: 'down', ended_at: null, reason }, name);
    t.match(await read(api, id), { reason: event.reason, state_since: event.started_at }, name);
    await ping(heartbeat.url, { method: 'POST', body: 'all Größe: OK here', headers: { 'content-type': 'image/png' } });
    await becomes(t, id, 'up');
    const [{ ended_at: since }] = await eventsOf(api, id);
    t.match(await read(api, id), { reason: null, state_since: since }, name);
  }
});

t.test('a ping with an overlong name or exit code is accepted, and such an exit code is a failure', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  const rid = 'x'.repeat(1_000);
  await ping(`${heartbeat.url}/start?rid=${rid}`);
  await ping(`${heartbeat.url}?rid=${rid}`);
  await becomes(t, id, 'up');
  t.strictSame(await pingsOf(db, id).pluck('rid'), [rid.slice(0, 200), rid.slice(0, 200)]);
  t.notSame((await pingsOf(db, id))[1].duration_ms, null, 'the name matches that of its start');
  for (const code of ['256', '-1', '3221225786']) {
    await ping(`${heartbeat.url}/${code}`);
    await becomes(t, id, 'down');
    await ping(heartbeat.url);
    await becomes(t, id, 'up');
  }
  await ping(`${heartbeat.url}/255`);
  await becomes(t, id, 'down');
  t.match((await eventsOf(api, id))[0], { reason: /exit code 255/ });
});

t.test('a ping with an unknown last word is 404, and like one for the log it is kept without effect', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  const without = async () => {
    for (const end of ['abc', '1.5', 'done', 'caf%C3%A9', '0x1', 'ok?rid=a', '-']) {
      const response = await fetch(`${heartbeat.url}/${end}`, { method: 'POST', body: 'done' });
      const details = { exit_code: [{ message: 'must be start, fail, log or an exit code' }] };
      t.match([response.status, await response.json()], [404, { error: { code: 'NOT_FOUND', details } }], end);
    }
    await ping(`${heartbeat.url}/log`, { method: 'POST', body: 'half done' });
    await ping(`${heartbeat.url}/LOG/`);
  };
  await without();
  await becomes(t, id, 'unknown');
  await ping(`${heartbeat.url}/fail`);
  await without();
  await becomes(t, id, 'down');
  await ping(heartbeat.url);
  await becomes(t, id, 'up');
  const { next_check_at: deadline } = await read(api, id);
  clock.setWall(clock.now() + 60_000);
  await without();
  await becomes(t, id, 'up');
  t.match(await read(api, id), { next_check_at: deadline, heartbeat: { ping_count: 29 } });
  const kept = [...Array(7).fill('unknown'), 'log', 'log'];
  t.strictSame(await pingsOf(db, id).pluck('kind'), [...kept, 'fail', ...kept, 'success', ...kept]);
});

t.test('a word for a failure is none for a success, in any letter case', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  const words = ['failed', 'failure', 'fails', 'error', 'err', 'FAIL', 'Failed'];
  for (const word of words) await ping(`${heartbeat.url}/${word}`);
  await ping(`${heartbeat.url}/START`);
  await becomes(t, id, 'down');
  t.strictSame(await pingsOf(db, id).pluck('kind'), [...words.map(() => 'fail'), 'start']);
});

t.test('a check of a heartbeat on request is refused because no node checks it, even while it is paused', async (t) => {
  const { id } = await aHeartbeat(api);
  for (const act of ['resume', 'pause']) {
    await api.call('POST', `/v1/monitors/${id}/${act}`);
    const { status, body } = await api.call('POST', `/v1/monitors/${id}/test`);
    t.match([status, body.error], [422, { details: { type: [{ code: 'not_supported' }] } }], act);
  }
});

t.test('after a token is changed the old one is unknown at once; state and badge stay', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  await ping(heartbeat.url);
  await becomes(t, id, 'up');
  const { status, body } = await api.call('POST', `/v1/monitors/${id}/rotate-token`);
  t.equal(status, 200);
  t.equal(body.data.url, `${api.url}/hb/${body.data.token}`);
  t.equal((await fetch(heartbeat.url)).status, 404);
  await ping(body.data.url);
  const after = await read(api, id);
  t.match(after, { target: body.data.token.slice(0, 11), current_status: 'up' });
  t.match(after.heartbeat, { url: body.data.url, badge_url: heartbeat.badge_url, ping_count: 2 });
  t.match(await db('audit_log').where({ subject: id, action: 'monitor.token_rotated' }), [{}]);
  const stored = JSON.stringify(await db('heartbeats').where({ monitor_id: id }).first());
  t.notOk(stored.includes(body.data.token), 'the database contains no token in plain text');
  const http = await api.call('POST', `/v1/monitors/m_1111111111111111111111/rotate-token`);
  t.equal(http.status, 404);
  await db('monitors').where({ id }).update({ type: 'tcp' });
  t.match((await api.call('POST', `/v1/monitors/${id}/rotate-token`)).body.error.details, {
    type: [{ code: 'not_supported' }],
  });
});

t.test('a badge shows the state to everyone, and nothing else', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, { name: 'Secret project' });
  const fresh = await fetch(heartbeat.badge_url);
  t.equal(fresh.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
  t.equal(fresh.headers.get('cache-control'), 'public, max-age=30');
  t.match(await fresh.text(), /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg".*heartbeat: new/);
  await ping(`${heartbeat.url}/fail`);
  await becomes(t, id, 'down');
  const down = await fetch(heartbeat.badge_url);
  const [svg, etag] = [await down.text(), down.headers.get('etag') ?? ''];
  t.match(svg, /heartbeat: down/);
  for (const secret of [heartbeat.token, id, 'Secret']) t.notOk(svg.includes(secret));
  t.equal((await fetch(heartbeat.badge_url, { headers: { 'if-none-match': etag } })).status, 304);
  t.equal((await fetch(`${api.url}/badge/nothing.svg`)).status, 404);
});

t.test('push clients of Uptime Kuma work unchanged', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, { config: { assert_body_contains: 'fine' } });
  const push = async (search: string, token = heartbeat.token) => {
    const response = await fetch(`${api.url}/api/push/${token}${search}`);
    return [response.status, await response.json()];
  };
  t.same(await push('?status=up&msg=all%20fine&ping=12.4'), [200, { ok: true }]);
  await becomes(t, id, 'up');
  t.match(await pingsOf(db, id), [{ via: 'push', duration_ms: 12, body: Buffer.from('all fine') }]);
  t.same(await push('?status=down&msg=fine&ping='), [200, { ok: true }]);
  await becomes(t, id, 'down');
  t.same(await push('', 'nobodys'), [404, { ok: false, msg: 'Monitor not found.' }]);
});

t.test('the first 10 kB of a body are kept, however large it is', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  const megabytes = Buffer.alloc(3 * 1024 * 1024, 'y');
  for (const body of [Buffer.alloc(20_000, 0), Buffer.alloc(33 * 1024, 'x'), megabytes])
    await ping(heartbeat.url, { method: 'POST', body: new Uint8Array(body) });
  await ping(`${heartbeat.url}/fail`, { method: 'POST', body: new Uint8Array(megabytes) });
  const bodies: Buffer[] = await pingsOf(db, id).pluck('body');
  const kept = [...'\0xyy'].map((letter) => Buffer.alloc(10_000, letter));
  t.strictSame(bodies, kept);
  await becomes(t, id, 'down');
  const unknown = await fetch(`${api.url}/hb/x`, { method: 'POST', body: 'x'.repeat(33 * 1024) });
  t.equal(unknown.status, 404);
  const push = await fetch(`${api.url}/api/push/${heartbeat.token}`, {
    method: 'POST',
    body: new Uint8Array(megabytes),
  });
  t.same(await push.json(), { ok: true });
});

t.test('curl sends a log of 40 MB with a ping', { skip: missing('curl') }, async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  const file = join(t.testdir(), 'log');
  await writeFile(file, Buffer.alloc(40_000_000, 'x'));
  const sent = await promisify(execFile)('curl', ['-fsS', '-m', '60', '--data-binary', `@${file}`, heartbeat.url]);
  t.equal(sent.stdout, 'OK');
  t.equal((await read(api, id)).heartbeat.ping_count, 1);
});

t.test('a slash at the end of an address loses no ping', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  for (const end of ['/', '/start/', '/fail/', '/3/', '/0/?rid=a', '//'])
    await ping(`${heartbeat.url}${end}`, end === '/' ? { method: 'POST', body: 'done' } : {});
  const push = await fetch(`${api.url}/api/push/${heartbeat.token}/?status=down&msg=full`);
  t.same(await push.json(), { ok: true });
  t.strictSame(await pingsOf(db, id).select('kind', 'exit_code', 'rid'), [
    { kind: 'success', exit_code: null, rid: null },
    { kind: 'start', exit_code: null, rid: null },
    { kind: 'fail', exit_code: null, rid: null },
    { kind: 'exit', exit_code: 3, rid: null },
    { kind: 'exit', exit_code: 0, rid: 'a' },
    { kind: 'success', exit_code: null, rid: null },
    { kind: 'fail', exit_code: null, rid: null },
  ]);
  t.equal((await fetch(`${heartbeat.badge_url}/`)).status, 200);
});

t.test('the pings of a heartbeat are listed, newest first, with the beginnings of their bodies', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api, { config: { assert_body_contains: 'done' } });
  const list = async (search = '') => (await api.call('GET', `/v1/monitors/${id}/pings${search}`)).body;
  t.strictSame((await list()).data, { items: [] });
  await ping(`${heartbeat.url}/start?rid=a`);
  await clock.sweep();
  const fromMs = clock.now();
  clock.setWall(fromMs + 60_000);
  await ping(`${heartbeat.url}/3?rid=a`, { method: 'POST', body: `done ${'é'.repeat(6_000)}` });
  await clock.sweep();
  await ping(heartbeat.url, { method: 'POST', body: new Uint8Array([0xff, 0x00, 0x61]) });
  await fetch(`${api.url}/api/push/${heartbeat.token}?status=up&msg=done&ping=7`);
  const at = new Date(fromMs + 60_000).toISOString();
  clock.setWall(fromMs + 120_000);
  const common = { at, exit_code: null, lacks_text: false, duration_ms: null, ip: '127.0.0.1', rid: null };
  const exit = {
    ...common,
    kind: 'exit',
    exit_code: 3,
    duration_ms: 60_000,
    via: 'POST',
    rid: 'a',
    body_bytes: 10_000,
  };
  const { data, meta } = await list();
  t.strictSame(data.items, [
    { ...common, kind: 'success', duration_ms: 7, via: 'push', body_bytes: 4, body: 'done' },
    { ...common, kind: 'success', lacks_text: true, via: 'POST', body_bytes: 3, body: '\ufffd\0a' },
    { ...exit, body: `done ${'é'.repeat(497)}` },
    {
      ...common,
      at: new Date(fromMs).toISOString(),
      kind: 'start',
      lacks_text: true,
      via: 'GET',
      rid: 'a',
      body_bytes: 0,
      body: null,
    },
  ]);
  t.strictSame(meta.pagination, { page_size: 20, has_more: false, next_cursor: null });
  t.strictSame((await list('?body=full&kind=exit')).data.items, [{ ...exit, body: `done ${'é'.repeat(4_997)}` }]);
  t.strictSame((await list(`?from=${at}`)).data.items.length, 3);
  t.strictSame((await list(`?to=${at}`)).data.items.length, 1);
  const seen = [];
  for (let page = await list('?limit=3'); ; page = await list(`?limit=3&cursor=${page.meta.pagination.next_cursor}`)) {
    seen.push(...page.data.items);
    if (!page.meta.pagination.has_more) break;
  }
  t.strictSame(seen, data.items, 'page by page');
});

t.test('a log of pings is refused to strangers, for other monitors, and where it would be too large', async (t) => {
  const { id } = await aHeartbeat(api);
  const refusal = async (path: string, as = api) => {
    const { status, body } = await as.call('GET', path);
    return [status, body.error?.code, ...Object.keys(body.error?.details ?? {})];
  };
  const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
  t.same(await refusal(`/v1/monitors/${id}/pings`, stranger), [404, 'MONITOR_NOT_FOUND']);
  for (const search of ['kind=nothing', 'body=all', 'cursor=x', 'from=x', 'limit=0'])
    t.equal((await refusal(`/v1/monitors/${id}/pings?${search}`))[0], 400, search);
  t.same(await refusal(`/v1/monitors/${id}/pings?body=full&limit=21`), [400, 'VALIDATION_FAILED', 'limit']);
  await db('monitors').where({ id }).update({ type: 'tcp' });
  t.same(await refusal(`/v1/monitors/${id}/pings`), [422, 'VALIDATION_FAILED', 'type']);
});

t.test(
  'when pings of a token flood in, the newest of each second that has an effect is stored, and each is answered OK',
  async (t) => {
    const { id, heartbeat } = await aHeartbeat(api);
    for (let i = 0; i < 65; i += 1) await ping(heartbeat.url);
    await ping(`${heartbeat.url}/fail`);
    await ping(`${heartbeat.url}/log`);
    t.equal((await read(api, id)).heartbeat.ping_count, 60);
    clock.advance(1_000);
    await until('the newest ping', async () => (await read(api, id)).heartbeat.ping_count === 61);
    await becomes(t, id, 'down');
    clock.advance(60_000);
    await ping(heartbeat.url);
    await becomes(t, id, 'up');
  },
);

t.test('simultaneous pings are all counted, and each is judged once', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  await Promise.all(Array.from({ length: 20 }, (_, i) => ping(`${heartbeat.url}/${i % 2}`)));
  await ping(heartbeat.url);
  await becomes(t, id, 'up');
  const seqs = await pingsOf(db, id).pluck('seq');
  t.same(
    seqs,
    Array.from({ length: 21 }, (_, i) => i + 1),
  );
  const kinds = await monitorEvents(db).where({ subject: id }).pluck('kind');
  t.same(
    kinds,
    kinds.map((_, i) => (i % 2 === 0 ? 'monitor.down' : 'monitor.up')),
    'changes in order',
  );
});

t.test('the monitor limit applies to heartbeats, the minimum interval of a plan does not', async (t) => {
  const api = await createUserApi(controlPlane, 'limited@test.example', 'user');
  await db('owners').where({ id: api.userId }).update({ plan: 'free' });
  await db('users').where({ id: api.userId }).update({ email_verified_at: new Date() });
  t.equal((await aHeartbeat(api, { config: { interval_s: 30 } })).interval_s, 30);
  const second = await api.call('POST', '/v1/monitors', { body: { name: 'Second', type: 'heartbeat' } });
  t.match([second.status, second.body.error?.code], [429, 'MONITOR_LIMIT_EXCEEDED']);
});

t.test('a deleted heartbeat is gone with its token and its badge', async (t) => {
  const { id, heartbeat } = await aHeartbeat(api);
  await ping(`${heartbeat.url}/fail`);
  await becomes(t, id, 'down');
  t.equal((await api.call('DELETE', `/v1/monitors/${id}`)).status, 200);
  for (const url of [heartbeat.url, heartbeat.badge_url]) t.equal((await fetch(url)).status, 404);
});

t.test('invalid input names the field and the error', async (t) => {
  const api = await createUserApi(controlPlane, 'invalid@test.example', 'admin');
  const { heartbeat } = await aHeartbeat(api);
  const cron = (cron_expr: unknown, more: object = {}) => ({ config: { mode: 'cron', cron_expr, ...more } });
  const cases: readonly [object, string, RegExp][] = [
    [{ config: { mode: 'hourly' } }, 'config.mode', /interval or cron/],
    [{ config: { interval_s: 29 } }, 'config.interval_s', /at least 30/],
    [{ config: { interval_s: 31_536_001 } }, 'config.interval_s', /at most 31536000/],
    [{ config: { grace_s: -1 } }, 'config.grace_s', /at least 0/],
    [{ config: { cron_expr: '* * * * *' } }, 'config.cron_expr', /mode cron/],
    [cron('0 0 * * *', { interval_s: 60 }), 'config.interval_s', /mode interval/],
    [{ config: { mode: 'cron' } }, 'config.cron_expr', /required/],
    [cron('0 0 * * * *'), 'config.cron_expr', /five fields/],
    [cron('* * * * * *'), 'config.cron_expr', /five fields/],
    [cron('0 0 30 2 *'), 'config.cron_expr', /never fires/],
    [cron('61 * * * *'), 'config.cron_expr', /minute/i],
    [cron('0 0 * * *', { timezone: 'Mars/Olympus' }), 'config.timezone', /Mars/],
    [cron(5), 'config.cron_expr', /string/],
    [{ config: { assert_body_contains: 'x'.repeat(257) } }, 'config.assert_body_contains', /256/],
    [{ config: { max_duration_s: -1 } }, 'config.max_duration_s', /at least 0/],
    [{ config: { wrong: 1 } }, 'config.wrong', /./],
    [{ config: {}, params: { grace_s: 1 } }, 'params', /config/],
    [{ node_selection: { limit: 1 } }, 'node_selection', /no node/],
    [{ nodes: { limit: 1 } }, 'nodes', /no node/],
    [{ node_count: 1 }, 'node_count', /no node/],
    [{ trigger_rule: { consecutive_fail: 1 } }, 'trigger_rule', /no node/],
    [{ assertions: [] }, 'assertions', /no node/],
  ];
  for (const [fields, field, message] of cases) {
    const { status, body } = await api.call('POST', '/v1/monitors', {
      body: { name: 'New', type: 'heartbeat', ...fields },
    });
    t.equal(status, 400, JSON.stringify(fields));
    t.match(body.error.details?.[field]?.[0]?.message, message, `${field} in ${JSON.stringify(body.error)}`);
  }
  t.equal((await fetch(`${heartbeat.url}/start/x`)).status, 404);
  t.equal((await fetch(heartbeat.url, { method: 'PUT' })).status, 405);
  t.equal((await api.call('GET', '/v1/monitors')).body.data.total, 1);
});
