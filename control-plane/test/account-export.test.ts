import { Secret, TOTP } from 'otpauth';
import t from 'tap';
import { commandLine } from '../src/audit-log/actor.js';
import { CheckingNode } from './_support/checking-node.js';
import { password } from './_support/people.js';
import { startStack } from './_support/stack.js';

const CHANNEL_SECRET = 'whsec_hiddenHIDDENhiddenHIDDENhiddenHI';

const { api, controlPlane } = await startStack(t);
await CheckingNode.join(t, api);
const { users, secondFactor } = controlPlane.services.accounts;

/** A new user's session. */
async function signIn(email: string) {
  const { id } = await users.createUser({ email, role: 'user', password });
  const { body } = await api.call('POST', '/v1/auth/login', { as: null, body: { email, password } });
  return { id, data: body.data as { access_token: string; refresh_token: string } };
}

t.test('an export has everything of an account, of all modules, and none of its secrets', async (t) => {
  const { id, data } = await signIn('ada@example.com');
  const as = data.access_token;
  await signIn('bob@example.com');
  const post = async (path: string, body: object) => {
    const reply = await api.call('POST', path, { as, body });
    t.equal(reply.status, 201, `${path} ${JSON.stringify(reply.body.error ?? '')}`);
    return reply.body.data;
  };
  const { secret } = await secondFactor.setUp(id, commandLine);
  const code = new TOTP({ secret: Secret.fromBase32(secret) }).generate();
  const codes = await secondFactor.enable(id, code, commandLine);
  const key = await post('/v1/account/api-keys', { name: 'my key' });
  const token = await post('/v1/account/tokens', { name: 'my token' });
  const headers = { 'X-Api-Key': 'hidden-monitor-secret' };
  await post('/v1/monitors', { name: 'my site', type: 'http', target: 'http://127.0.0.1:18080/', config: { headers } });
  const job = await post('/v1/monitors', { name: 'my job', type: 'heartbeat' });
  await post('/v1/monitor-groups', { name: 'my group' });
  const hook = { url: 'https://example.com/hook', secret: CHANNEL_SECRET };
  const channel = await post('/v1/alert-channels', { name: 'my channel', type: 'webhook', config: hook });
  const rules = [{ channels: [{ channel_id: channel.id }] }];
  await post('/v1/alert-policies', { name: 'my policy', rules });
  await post('/v1/alert-silences', { reason: 'my silence', duration_sec: 600 });
  const endpoint = await post('/v1/webhooks', { url: 'https://example.com/events', events: ['monitor.down'] });
  const enrollment = await post('/v1/nodes/enrollment-tokens', { label: 'my node' });
  const reply = await api.call('GET', '/v1/account/export', { as });
  t.equal(reply.status, 200, JSON.stringify(reply.body.error ?? ''));
  t.match(reply.headers.get('content-disposition'), /attachment; filename=/);
  const text = JSON.stringify(reply.body.data);
  t.match(reply.body.data, {
    profile: { id },
    factors: { totp: {} },
    sessions: [{ is_current: true }],
    api_keys: [{ name: 'my key' }],
    tokens: [{ name: 'my token' }],
    monitors: [{ name: 'my job' }, { name: 'my site' }],
    monitor_groups: [{}],
    alert_silences: [{ reason: 'my silence' }],
    webhooks: [{ id: endpoint.endpoint.id }],
    nodes: [],
    enrollment_tokens: [{ label: 'my node' }],
    maintenance_windows: [],
    alert_groups: [],
  });
  for (const part of ['my channel', 'my policy', 'token.created', 'my group']) t.ok(text.includes(part), part);
  const secrets = [
    password,
    secret,
    ...codes,
    data.access_token,
    data.refresh_token,
    key.key,
    token.token,
    enrollment.token,
    job.heartbeat.token,
    endpoint.secret,
    'hidden-monitor-secret',
    CHANNEL_SECRET,
    'bob@example.com',
  ];
  for (const hidden of secrets) {
    t.equal(typeof hidden, 'string');
    t.notOk(text.includes(hidden), hidden.slice(0, 12));
  }
});

t.test('five exports a day', async (t) => {
  const { data } = await signIn('grace@example.com');
  const statuses = [];
  for (let n = 0; n < 6; n++)
    statuses.push((await api.call('GET', '/v1/account/export', { as: data.access_token })).status);
  t.strictSame(statuses, [200, 200, 200, 200, 200, 429]);
});
