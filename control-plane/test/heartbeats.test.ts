import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { FakeClock } from './_support/fake-clock.js';
import { aHeartbeat, becomes, ping, read } from './_support/heartbeats.js';
import { startReplica, startStack } from './_support/stack.js';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const every = (interval_s: number, more: object = {}) => ({ config: { interval_s, grace_s: 60, ...more } });

t.test('a heartbeat is made with a token that is shown once, and is new until its first ping', async (t) => {
  const { api } = await startStack(t);
  const made = await aHeartbeat(api, { target: 'ignored', interval_s: 17, config: undefined });
  t.match(made, {
    type: 'heartbeat',
    interval_s: 86_400,
    config: { mode: 'interval', interval_s: 86_400, grace_s: 3_600, timezone: 'UTC', max_duration_s: 0 },
    current_status: 'unknown',
    node_count: 0,
    nodes: [],
    uptime_percent: null,
    last_check_at: null,
    next_check_at: null,
  });
  const { token, ...shown } = made.heartbeat;
  t.match(token, /^hb_[A-Za-z0-9_-]{61}$/);
  t.equal(made.target, token.slice(0, 11));
  t.match(shown, { url: `${api.url}/hb/${token}`, state: 'new', badge_url: /\/badge\/[A-Za-z0-9_-]{22}\.svg$/ });
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
  t.notOk('heartbeat' in row, 'rows of a list have no block');
});

t.test('a ping by GET, HEAD or POST is answered OK, counts and is shown; no other token is known', async (t) => {
  const { api } = await startStack(t);
  const { id, heartbeat } = await aHeartbeat(api);
  for (const method of ['GET', 'HEAD', 'POST']) {
    const response = await fetch(heartbeat.url, { method, headers: { authorization: 'Bearer nonsense' } });
    t.equal(response.status, 200);
    t.equal(response.headers.get('content-type'), 'text/plain; charset=utf-8');
    t.equal(await response.text(), method === 'HEAD' ? '' : 'OK');
    t.equal((await read(api, id)).heartbeat.last_ping_via, method);
  }
  await becomes(api, id, 'up');
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

t.test('curl checks in as the documentation says', async (t) => {
  const { api } = await startStack(t);
  const { id, heartbeat } = await aHeartbeat(api);
  const curl = async (...args: readonly string[]) => (await promisify(execFile)('curl', ['-fsS', ...args])).stdout;
  t.equal(await curl('-m', '10', '--retry', '5', heartbeat.url), 'OK');
  t.equal(await curl('--data-raw', 'backed up 3 files', heartbeat.url), 'OK');
  t.equal(await curl(`${heartbeat.url}/0`), 'OK');
  await becomes(api, id, 'up');
  t.equal(await curl(`${heartbeat.url}/3`), 'OK');
  await becomes(api, id, 'down');
});

t.test('a missed deadline is an event since it was due, an outbox row and a mail; a ping ends it', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  const { id, heartbeat } = await aHeartbeat(api, every(600));
  clock.advance(HOUR_MS);
  t.equal((await read(api, id)).heartbeat.state, 'new', 'no alert before the first ping');
  await ping(heartbeat.url);
  const pingedMs = clock.now();
  await becomes(api, id, 'up');
  clock.advance(600_001);
  t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } });
  clock.advance(59_999);
  t.match(await read(api, id), { current_status: 'up', heartbeat: { state: 'late' } }, 'the whole of its grace');
  clock.advance(5 * MINUTE_MS);
  await becomes(api, id, 'down');
  t.match(await read(api, id), { heartbeat: { state: 'down' }, next_check_at: null });
  const [event] = (await api.call('GET', `/v1/monitors/${id}/events`)).body.data.items;
  t.match(event, {
    type: 'down',
    started_at: new Date(pingedMs + 660_000).toISOString(),
    ended_at: null,
    affected_nodes: [],
    reason: `no ping came that was expected at ${new Date(pingedMs + 600_000).toISOString()}`,
  });
  clock.advance(MINUTE_MS);
  await ping(heartbeat.url);
  await becomes(api, id, 'up');
  const ended = (await api.call('GET', `/v1/monitor-events/${event.id}`)).body.data;
  t.match(ended, { ended_at: new Date(clock.now()).toISOString(), duration_sec: 300 });
  t.same(await database.db('outbox').orderBy('id').pluck('kind'), ['monitor.down', 'monitor.up']);
  t.equal((await database.db('graphile_worker.jobs').count())[0]?.['count'] ?? 2, 2, 'a mail each');
});

t.test('two replicas notice one deadline once', async (t) => {
  const clock = new FakeClock();
  const { api, database } = await startStack(t, {}, clock);
  await startReplica(t, database.url, { VANTAGE_PUBLIC_URL: api.url }, clock);
  const made = [];
  for (let i = 0; i < 20; i += 1) made.push(await aHeartbeat(api, { name: `Job ${i}`, ...every(600) }));
  for (const { heartbeat } of made) await ping(heartbeat.url);
  for (const { id } of made) await becomes(api, id, 'up');
  clock.advance(HOUR_MS);
  for (const { id } of made) await becomes(api, id, 'down');
  const events = await database.db('monitor_events').select('monitor_id', 'ended_at');
  t.equal(events.length, 20);
  t.equal(new Set(events.map(({ monitor_id }) => monitor_id)).size, 20);
  t.equal((await database.db('outbox')).length, 20);
});
