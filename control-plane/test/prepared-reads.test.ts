import { AsyncLocalStorage } from 'node:async_hooks';
import diagnostics from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import t, { type Test } from 'tap';
import type { AnyRoute } from '../src/http/route.js';
import { routes } from '../src/wiring/modules.js';
import { answerText } from './_support/answer-text.js';
import { type AskedStatement, followStatements } from './_support/asked-statements.js';
import { aHeartbeat, ping } from './_support/heartbeats.js';
import { startStack } from './_support/stack.js';

/** Statements that may be planned at each request, and why. */
const planned: readonly (readonly [RegExp, string])[] = [
  [/^select (?:version\(\);|set_config\()/, 'opens a connection'],
  [/^UPDATE "(?:api_keys|personal_access_tokens)" SET last_used_at/, 'once a minute for a credential'],
  [
    /^SELECT (?:count\(\*\)::int AS total|u\.id, u\.email, u\.role, o\.plan).* FROM users u/s,
    'an administrator looks for users',
  ],
  [/^(?:BEGIN;|ROLLBACK)$/, 'a page of a sign-in under way locks it'],
  [/^SELECT clock_timestamp\(\) AS at$|^select "id", "created_at" from "outbox"/, 'a stream begins'],
  [/timestamptz '\d{4}-/, 'the range of time is in the text, which chooses partitions while planning'],
];

interface Statement extends AskedStatement {
  readonly url: string;
}

/** Records the statements that requests cause, by the context in which they leave this process. */
function recordStatements(t: Test): readonly Statement[] {
  const statements: Statement[] = [];
  const requestOf = new AsyncLocalStorage<string>();
  const begun = (message: unknown) => requestOf.enterWith((message as { request: IncomingMessage }).request.url ?? '');
  diagnostics.subscribe('http.server.request.start', begun);
  const stop = followStatements((statement) => {
    const url = requestOf.getStore();
    if (url !== undefined) statements.push({ url, ...statement });
  });
  t.teardown(() => {
    diagnostics.unsubscribe('http.server.request.start', begun);
    stop();
  });
  return statements;
}

t.test('every statement of a read is prepared, or is listed with the reason why not', async (t) => {
  const { api } = await startStack(t);
  const { id, heartbeat } = await aHeartbeat(api);
  await ping(`${heartbeat.url}/fail`);
  const [starts_at, ends_at] = [1, 2].map((hours) => new Date(Date.now() + hours * 3_600_000).toISOString());
  const made: readonly (readonly [string, object])[] = [
    ['/v1/monitor-groups', { name: 'group' }],
    ['/v1/maintenance-windows', { title: 'window', scope_type: 'all', starts_at, ends_at }],
    ['/v1/alert-silences', { scope_type: 'all', reason: 'none', starts_at, ends_at }],
    ['/v1/alert-groups', { name: 'alerts', group_by: 'tag', group_value: 'db' }],
    ['/v1/webhooks', { url: 'https://example.com/hook', events: ['alert.firing'] }],
    ['/v1/account/api-keys', { name: 'key', scopes: ['read'] }],
    ['/v1/nodes/enrollment-tokens', {}],
  ];
  for (const [path, body] of made) {
    const { status, body: answer } = await api.call('POST', path, { body });
    t.ok(status < 300, `${path}: ${JSON.stringify(answer)}`);
  }
  const statements = recordStatements(t);
  const reads = routes.filter(({ method }) => method === 'GET');
  const idUnder = async (prefix: string) => {
    // pages
    if (!prefix.startsWith('/v1/')) return 'none';
    const { status, body } = await api.call('GET', prefix);
    return status === 200 ? String(body.data.items?.[0]?.id ?? 'none') : 'none';
  };
  for (const { path } of reads as readonly AnyRoute[]) {
    const [prefix = '', ...rest] = path.split('/{');
    const url =
      rest.length === 0 ? path : path.replace(/\{\w+\}/, prefix === '/v1/monitors' ? id : await idUnder(prefix));
    const response = await fetch(new URL(url.replaceAll(/\{\w+\}/g, 'none'), api.url), {
      headers: { authorization: `Bearer ${api.token}` },
      redirect: 'manual',
    });
    await answerText(response);
  }
  const unlisted = statements.filter(
    ({ name, text }) => name === undefined && !planned.some(([pattern]) => pattern.test(text)),
  );
  t.strictSame(
    [...new Set(unlisted.map(({ url, text }) => `${url}: ${text.replaceAll(/\s+/g, ' ').slice(0, 150)}`))].sort(),
    [],
  );
  const names = new Set(statements.flatMap(({ name }) => (name === undefined ? [] : [name])));
  t.ok(names.size > 50, `${names.size} prepared statements`);
});
