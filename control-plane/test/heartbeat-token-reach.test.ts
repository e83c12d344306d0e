import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import type { AnyRoute } from '../src/http/route.js';
import { routes } from '../src/wiring/modules.js';
import { answerText } from './_support/answer-text.js';
import { aHeartbeat, ping } from './_support/heartbeats.js';
import { asUser } from './_support/owners.js';
import { startStack } from './_support/stack.js';

/** All reads of an account. */
const readable = routes.filter(({ method, path }) => method === 'GET' && !path.includes('{token}'));

t.test('no operation shows the check-in token of a heartbeat to credentials that may only read', async (t) => {
  const { api, controlPlane } = await startStack(t);
  const grantor = asUser(api.userId);
  const { key } = await controlPlane.services.tokens.apiKeys.create(grantor, { name: 'r', scopes: ['read'] }, program);
  const scopes = ['monitor:read', 'probe:read', 'alert:read', 'admin'] as const;
  const personal = await controlPlane.services.tokens.personal.create(
    grantor,
    { name: 'r', scopes: [...scopes] },
    program,
  );
  const made = await aHeartbeat(api, { name: 'Backup', tags: ['jobs'] });
  const { id, badge_url: badge, heartbeat } = { ...made, ...made.heartbeat };
  await ping(`${heartbeat.url}/fail`, { method: 'POST', body: 'no space left' });
  const rotated = (await api.call('POST', `/v1/monitors/${id}/rotate-token`)).body.data;
  await ping(rotated.url, { method: 'POST' });
  await ping(`${rotated.url}/fail`);
  const body = { kind: 'vantage.monitors', version: 1, monitors: [{ name: 'Second', type: 'heartbeat' }] };
  const imported = (await api.call('POST', '/v1/monitors/import', { body })).body.data.created[0];
  // the part after the visible prefix of a token
  const secrets = [heartbeat.token, rotated.token, imported.heartbeat.token].map((token: string) => token.slice(11));
  t.equal(secrets.length, 3);
  const events = (await api.call('GET', `/v1/monitors/${id}/events`)).body.data.items;
  const ids: Readonly<Record<string, string>> = {
    '/v1/monitors': id,
    '/v1/monitor-events': events[0]?.id ?? 'none',
    '/badge': String(badge).replace(/^.*\/|\.svg$/g, ''),
  };
  const read = async ({ path }: AnyRoute, token: string) => {
    const [prefix = ''] = path.split('/{');
    const url = new URL(path.replace(/\{\w+\}/, ids[prefix] ?? 'none'), api.url);
    const response = await fetch(url, { headers: { authorization: `Bearer ${token}` }, redirect: 'manual' });
    return { status: response.status, text: `${JSON.stringify([...response.headers])} ${await answerText(response)}` };
  };
  let answered = 0;
  for (const token of [key, personal.token]) {
    for (const route of readable) {
      const { status, text } = await read(route, token);
      if (status === 200) answered += 1;
      for (const secret of secrets) t.notOk(text.includes(secret), route.path);
    }
  }
  t.ok(answered > 40, `${answered} answers`);
  const whole = await read(readable.find(({ operationId }) => operationId === 'getMonitor') as AnyRoute, api.token);
  t.ok(whole.text.includes(secrets[1] as string), 'credentials that may write see it');
});
