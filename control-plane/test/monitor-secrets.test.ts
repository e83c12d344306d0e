import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { program } from '../src/audit-log/actor.js';
import { createSealer } from '../src/crypto/sealing.js';
import type { ApiError } from '../src/http/errors.js';
import { CheckingNode } from './_support/checking-node.js';
import { differences, pairs, spellingsOf } from './_support/destinations.js';
import { keepEvents } from './_support/kept-events.js';
import { accountOf } from './_support/owners.js';
import {
  KEY,
  leaked,
  makeSecretMonitor,
  secretPaths,
  secrets,
  specsSent,
  TOKEN,
  wasAssigned,
} from './_support/secret-monitor.js';
import { createUserApi, SECRET_KEY, startStack } from './_support/stack.js';

const { api: admin, controlPlane, database } = await startStack(t);
const { db } = database;
const node = await CheckingNode.join(t, admin);

const anAccount = (name: string) => createUserApi(controlPlane, `${name}@test.example`, 'admin');

t.test('no readable part of a monitor with secrets contains them', async (t) => {
  const api = await anAccount('readable');
  await keepEvents(db);
  const headers = { 'idempotency-key': 'make-it-once' };
  const body = { name: 'Shop', type: 'http', target: 'http://127.0.0.1:18080/', config: secrets };
  const { id } = (await api.call('POST', '/v1/monitors', { body, headers })).body.data;
  await node.waitForAssignment(id);
  await api.call('PATCH', `/v1/monitors/${id}`, { body: { config: { ...secrets, timeout_ms: 2_000 } } });
  const heartbeat = (await makeSecretMonitor(api, { name: 'Job', type: 'heartbeat', target: undefined, config: {} }))
    .body.data;
  const key = await api.call('POST', '/v1/account/api-keys', { body: { name: 'r', scopes: ['monitor:read'] } });
  const read = async (path: string) => JSON.stringify((await api.call('GET', path, { as: key.body.data.key })).body);
  const views = ['', '/export', `/${id}`, `/${id}/checks`, `/${id}/events`, `/${heartbeat.id}`].map(
    (path) => `/v1/monitors${path}`,
  );
  for (const path of [...views, '/v1/account/audit', '/v1/openapi.json']) {
    const text = await read(path);
    t.notMatch(text, leaked, path);
    t.notOk(text.includes(heartbeat.heartbeat.token), `${path} has no token of a heartbeat`);
  }
  const { url } = JSON.parse(await read(`/v1/monitors/${heartbeat.id}`)).data.heartbeat;
  t.equal(url, `${api.url}/hb/${heartbeat.target}`, 'a caller that may only read sees the prefix');
  const whole = (await api.call('GET', `/v1/monitors/${heartbeat.id}`)).body.data.heartbeat.url;
  t.equal(whole, heartbeat.heartbeat.url, 'a caller that may write sees it all');
  for (const table of ['monitors', 'audit_log', 'idempotency_keys', 'outbox']) {
    const stored = JSON.stringify(await db(table).select('*'), (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
    t.notMatch(stored, leaked, table);
  }
});

t.test('a key that may only write monitors cannot have their secrets sent to a host of its own', async (t) => {
  const api = await anAccount('hosts');
  const [mine, theirs] = ['http://127.0.0.1:18080/', 'http://127.0.0.1:18081/'];
  const { id, config } = (await makeSecretMonitor(api, { target: mine })).body.data;
  const { body } = await api.call('POST', '/v1/account/api-keys', { body: { name: 'w', scopes: ['monitor:write'] } });
  const as = (method: string, path: string, said?: object) => api.call(method, path, { body: said, as: body.data.key });
  const first = await node.waitForAssignment(id);
  t.match(first.spec, { target: mine, config: secrets }, 'its node has them for the host they were given for');

  const changes: readonly [what: string, said: object, changed: RegExp][] = [
    ['the target alone', { target: theirs }, /port/],
    ['target and settings', { target: theirs, config }, /port/],
    ['settings by their other name', { target: theirs, params: config }, /port/],
    ['target and assertions', { target: theirs, assertions: [] }, /port/],
    ['the resolver', { config: { ...config, resolver: '127.0.0.1' } }, /resolver/],
    ['verify_tls', { config: { ...config, verify_tls: false } }, /verify_tls/],
    ['the nodes that may have them', { config: { ...config, allow_secrets_on: 'any' } }, /allow_secrets_on/],
    ['the scheme', { target: mine.replace('http:', 'https:') }, /scheme/],
  ];
  for (const [what, said, changed] of changes) {
    const { status, body: refused } = await as('PATCH', `/v1/monitors/${id}`, said);
    const { code, details = {} } = refused.error ?? {};
    t.strictSame([status, code, Object.keys(details)], [422, 'VALIDATION_FAILED', secretPaths], what);
    for (const path of secretPaths)
      t.match(details[path], [{ code: 'required', message: changed }], `${what}: ${path}`);
  }
  const entry = {
    name: 'Shop',
    type: 'http',
    target: theirs,
    secrets_left_out: ['auth.token', 'headers.X-Api-Key'],
  };
  for (const given of [{ auth: { type: 'bearer' } }, config]) {
    const file = { kind: 'vantage.monitors', version: 1, monitors: [{ ...entry, config: given }] };
    const { body: report } = await as('POST', '/v1/monitors/import?mode=replace', file);
    t.match(report.data.failed, [{ name: 'Shop', field: 'config.auth.token', problem: 'required' }], 'import');
  }
  const wider = { ...entry, target: mine, config: { ...config, allow_secrets_on: 'any' } };
  const { body: report } = await as('POST', '/v1/monitors/import?mode=replace', {
    kind: 'vantage.monitors',
    version: 1,
    monitors: [wider],
  });
  t.match(report.data.failed, [{ name: 'Shop', problem: 'required' }], 'an import that would allow any node');
  const half = { target: theirs, config: { ...secrets, headers: config.headers } };
  const { body: refused } = await as('PATCH', `/v1/monitors/${id}`, half);
  t.strictSame(Object.keys(refused.error.details), secretPaths.slice(1), 'one was sent again, one was not');
  t.equal((await as('PATCH', `/v1/monitors/${id}`, { target: `${mine}other?path=1` })).status, 200, 'another path');
  await node.waitForAssignment(id, first.generation);
  t.notOk(
    specsSent(node, id).some((spec) => spec.includes(theirs)),
    'no node was ever sent there',
  );

  const resent = { target: theirs, config: { ...secrets, headers: { 'X-Api-Key': 'another-key' } } };
  const { generation } = await node.waitForAssignment(id);
  t.equal((await as('PATCH', `/v1/monitors/${id}`, resent)).status, 200, 'each of them was sent again');
  t.match((await node.waitForAssignment(id, generation)).spec, resent);
});

const anyChange = pairs.chain(([a, b]) => fc.tuple(fc.constant([a, b] as const), spellingsOf(a), spellingsOf(b)));
const ways = ['target', 'config', 'both', 'params', 'assertions', 'import'] as const;

t.test(
  'a secret is kept if and only if it goes to the place it was given for, whichever way it is changed',
  async (t) => {
    const api = await anAccount('kept');
    const { monitors } = controlPlane.services;
    const { id } = (await makeSecretMonitor(api)).body.data;
    const account = accountOf(api.userId, { role: 'admin' });
    const mine = db('monitors').where({ id });
    const [row] = await mine.clone();

    /** Paths of the secrets for which a change was refused; null if it was accepted. */
    const refusedBy = async (said: object, before: typeof row): Promise<string[] | null> =>
      monitors.acts.fields.ofChanged(said, before, account).then(
        () => null,
        ({ status, details = {} }: ApiError) => (status === 422 ? Object.keys(details) : []),
      );
    const refusedOnImport = async (entry: object, { target, config, sealed_secrets }: typeof row) => {
      await mine.clone().update({ target, config, sealed_secrets });
      const file = { kind: 'vantage.monitors', version: 1, monitors: [{ name: 'Shop', type: 'http', ...entry }] };
      const request = {
        bytes: Buffer.from(JSON.stringify(file)),
        format: null,
        mode: 'replace',
        isDryRun: true,
      } as const;
      const report = await monitors.transfer.importing.run({ ...request, signal: null }, { account, actor: program });
      const [failed] = report.failed;
      return failed === undefined
        ? null
        : secretPaths.filter((path) => failed.message.includes(`${path} send it again`));
    };

    const done = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(anyChange, fc.constantFrom(...ways), async ([[a, b], was, is], way) => {
        const given = { target: was.target, config: { ...was.config, ...secrets } };
        const before = { ...row, ...(await monitors.acts.fields.ofChanged(given, row, account)) };
        const { auth, headers } = before.config;
        const config = { ...is.config, auth, headers };
        const { target } = is;
        const bodies = {
          target: { target },
          config: { config },
          both: { target, config },
          params: { target, params: config },
          assertions: { target, assertions: [] },
          import: { target, config },
        };
        const body = bodies[way];
        const refused = way === 'import' ? await refusedOnImport(body, before) : await refusedBy(body, before);
        const moved = 'target' in body ? { ...a, scheme: b.scheme, host: b.host, port: b.port } : a;
        const isSet = 'config' in body || 'params' in body;
        const now = isSet ? { ...moved, resolver: b.resolver, verifiesTls: b.verifiesTls } : moved;
        const expected = differences(a, now).length === 0 ? null : secretPaths;
        const outcome = `${way} ${refused === null ? 'kept' : 'refused'}`;
        done.set(outcome, (done.get(outcome) ?? 0) + 1);
        return JSON.stringify(refused) === JSON.stringify(expected);
      }),
      // a seed, so that few rounds show each outcome too
      { numRuns: rounds(400), seed: 1 },
    );
    t.equal(done.size, 2 * ways.length, `each way was refused, and was accepted: ${JSON.stringify([...done])}`);
  },
);

t.test('the mask of an unknown secret is refused', async (t) => {
  const api = await anAccount('masked');
  const masked = { body: '********', headers: { 'x-api-key': '********', Accept: '********' } };
  const details = {
    'config.body': [{ code: 'required' }],
    'config.headers.x-api-key': [{ code: 'required', message: /send its value/ }],
  };
  const made = await makeSecretMonitor(api, { config: masked });
  t.match([made.status, made.body.error], [422, { code: 'VALIDATION_FAILED', details }]);
  const { id } = (await makeSecretMonitor(api)).body.data;
  const changed = await api.call('PATCH', `/v1/monitors/${id}`, { body: { config: masked } });
  t.match([changed.status, changed.body.error], [422, { code: 'VALIDATION_FAILED', details }], 'in another case');
});

t.test(
  'body and headers are sealed, shown to callers that may read monitors, and hidden from those that may only write them',
  async (t) => {
    const api = await anAccount('bodies');
    const config = {
      method: 'POST',
      body: `{"password":"${TOKEN}"}`,
      headers: { 'X-Tenant': KEY, Accept: 'text/html' },
    };
    const target = `http://127.0.0.1:18080/hooks/${TOKEN}?k=${KEY}`;
    const shown = { target, config };
    const made = await makeSecretMonitor(api, shown);
    const { id } = made.body.data;
    t.match(made.body.data, shown, 'the caller that created it sees them');
    t.match((await node.waitForAssignment(id)).spec, shown, 'its node has them');
    const [stored] = await db('monitors').where({ id }).pluck('config');
    t.notMatch(JSON.stringify(stored), leaked, 'they are sealed in the database');

    const keyOf = async (scope: string) =>
      (await api.call('POST', '/v1/account/api-keys', { body: { name: scope, scopes: [scope] } })).body.data.key;
    const reader = await keyOf('monitor:read');
    t.match((await api.call('GET', `/v1/monitors/${id}`, { as: reader })).body.data, shown);
    t.match((await api.call('GET', '/v1/monitors', { as: reader })).body.data.items, [shown]);
    const file = (await api.call('GET', '/v1/monitors/export', { as: reader })).body.data;
    t.match(file.monitors, [shown], 'an export contains them');
    t.notOk('secrets_left_out' in file.monitors[0]);

    const writer = await keyOf('monitor:write');
    const write = (method: string, path: string, body?: object) => api.call(method, path, { body, as: writer });
    const renamed = await write('PATCH', `/v1/monitors/${id}`, { name: 'Renamed' });
    t.match(
      [renamed.status, renamed.body.data],
      [
        200,
        {
          target: 'http://127.0.0.1:18080/********',
          config: { method: 'POST', body: '********', headers: { 'X-Tenant': '********', Accept: 'text/html' } },
        },
      ],
    );
    t.notMatch(JSON.stringify(renamed.body), leaked);
    const masked = renamed.body.data;
    const theirs = await write('PATCH', `/v1/monitors/${id}`, { target: 'http://127.0.0.1:18081/' });
    t.strictSame(
      [theirs.status, Object.keys(theirs.body.error.details)],
      [422, ['config.body', 'config.headers.X-Tenant']],
      'they go nowhere else',
    );
    const literal = await write('PATCH', `/v1/monitors/${id}`, { target: masked.target });
    t.match([literal.status, literal.body.error.details], [400, { target: [{ code: 'format' }] }]);
    const { generation } = await node.waitForAssignment(id);
    const kept = await write('PATCH', `/v1/monitors/${id}`, { config: { ...masked.config, timeout_ms: 2_000 } });
    t.equal(kept.status, 200, 'they stay when sent back masked');
    t.match((await node.waitForAssignment(id, generation)).spec, { target, config: { ...config, timeout_ms: 2_000 } });
    t.strictSame((await api.call('GET', `/v1/monitors/${id}`)).body.data.config, {
      ...made.body.data.config,
      timeout_ms: 2_000,
    });

    const imported = await api.call('POST', '/v1/monitors/import', {
      body: { ...file, monitors: [{ ...file.monitors[0], name: 'Copy' }] },
    });
    t.strictSame([imported.status, imported.body.data.failed], [200, []]);
    t.match((await api.call('GET', '/v1/monitors?search=Copy')).body.data.items, [shown], 'an import creates it again');
  },
);

t.test('an attacker who can change the database but lacks the secret key moves no secret', async (t) => {
  const api = await anAccount('attacked');
  const node = await CheckingNode.join(t, api);
  const { id } = (await makeSecretMonitor(api)).body.data;
  await node.waitForAssignment(id);
  await db('monitors').where({ id }).update({ target: 'http://127.0.0.1:18081/' });
  const refused = await api.call('POST', `/v1/monitors/${id}/test`);
  t.strictSame([refused.status, Object.keys(refused.body.error.details)], [422, secretPaths]);
  const again = await CheckingNode.link(t, controlPlane.listenUrl, node.identity);
  const { id: plain } = (await makeSecretMonitor(api, { name: 'Plain', config: {} })).body.data;
  await again.waitForAssignment(plain);
  t.notOk(again.assignments.has(id) || wasAssigned(again, id));

  const owner = await createUserApi(controlPlane, 'owner@test.example', 'user');
  const { id: own } = (await makeSecretMonitor(owner, { name: 'Own' })).body.data;
  const stranger = await createUserApi(controlPlane, 'stranger@test.example', 'user');
  const theirs = await CheckingNode.join(t, stranger);
  await db.raw(`UPDATE monitors SET config = config || '{"allow_secrets_on": "any"}' WHERE id = ?`, [own]);
  await db('monitor_assignments').insert({ monitor_id: own, node_id: theirs.nodeId });
  const spy = await CheckingNode.link(t, controlPlane.listenUrl, theirs.identity);
  const { id: its } = (await makeSecretMonitor(stranger, { name: 'Its', config: {} })).body.data;
  await spy.waitForAssignment(its);
  t.notOk(spy.assignments.has(own), 'nor by allowing any node in the stored settings');
});

t.test('a monitor whose secrets were sealed before they were bound keeps them', async (t) => {
  const api = await anAccount('unbound');
  const node = await CheckingNode.join(t, api);
  const { id } = (await makeSecretMonitor(api)).body.data;
  const sealer = createSealer(Buffer.from(SECRET_KEY, 'base64'), 'monitor settings');
  const [stored] = await db('monitors').where({ id }).select('config', 'sealed_secrets');
  const bound: { path: string[]; value: string }[] = JSON.parse(sealer.open(stored.sealed_secrets).toString());
  const unbound = bound.map(({ path, value }) => ({ path, value }));
  const { allow_secrets_on: _, ...config } = stored.config;
  const sealed_secrets = sealer.seal(Buffer.from(JSON.stringify(unbound)));
  await db('monitors').where({ id }).update({ config, sealed_secrets });
  const again = await CheckingNode.link(t, controlPlane.listenUrl, node.identity);
  t.match((await again.waitForAssignment(id)).spec.config, secrets);
  const moved = await api.call('PATCH', `/v1/monitors/${id}`, { body: { target: 'http://127.0.0.1:18081/' } });
  t.equal(moved.status, 422, 'they are bound to their place');
  t.equal((await api.call('PATCH', `/v1/monitors/${id}`, { body: { name: 'Other' } })).status, 200);
  const [sealed] = await db('monitors').where({ id }).pluck('sealed_secrets');
  t.match(JSON.parse(sealer.open(sealed).toString()), [{ binding: { port: 18080 } }, { binding: { port: 18080 } }]);
});
