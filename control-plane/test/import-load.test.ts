import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { importFile } from './_support/import-file.js';
import { largeFiles, manyAnchors, manyKeys } from './_support/large-files.js';
import { holdsNobodyUp } from './_support/longest-turn.js';
import { expectShortTurns, startPlain, statusOf } from './_support/plain-stack.js';
import { createUserApi, startStack } from './_support/stack.js';

const YAML = 'application/yaml';
const small = 'endpoints:\n  - {name: Shop, url: "https://example.com/", conditions: ["[STATUS] == 200"]}\n';

t.test('files designed to take long do not keep other accounts from importing', async (t) => {
  const { api, controlPlane } = await startStack(t);
  await CheckingNode.join(t, api);
  const other = await createUserApi(controlPlane, 'other@test.example', 'user');
  const files = [manyAnchors(), manyKeys(), manyAnchors(), manyKeys(), manyAnchors()];
  const long = Promise.all(files.map((file) => importFile(api, file, 'dry_run=true', YAML)));
  // all have arrived before the next one is sent
  await importFile(api, '{}');
  const { status, report } = await importFile(other, small, 'dry_run=true', YAML);
  t.equal(status, 200);
  t.equal(report?.created.length, 1);
  t.same([...new Set((await long).map((one) => one.status))].sort(), [400, 409]);
});

t.test('an account has one import at a time, and the next one gets the time to retry', async (t) => {
  const { api } = await startStack(t);
  await CheckingNode.join(t, api);
  const file = largeFiles['ten thousand endpoints in YAML']();
  const leaving = new AbortController();
  const post = (body: Uint8Array, signal: AbortSignal | null = null) =>
    fetch(new URL('/v1/monitors/import?dry_run=true', api.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${api.token}`, 'content-type': YAML },
      body,
      signal,
    });
  const both = [post(file, leaving.signal), post(file, leaving.signal)];
  const refused = await Promise.race(both);
  t.equal(refused.status, 409);
  t.equal(refused.headers.get('retry-after'), '10');
  const { error } = (await refused.json()) as { error: object };
  t.match(error, { code: 'CONFLICT', details: { body: [{ code: 'conflict', message: /another import/ }] } });
  leaving.abort();
  await Promise.allSettled(both);
  await until('the place of the import that ended', async () => (await post(Buffer.from(small))).status === 200);
});

t.test('an import of the greatest allowed size delays no other request by 50 ms', async (t) => {
  // all kinds of files: import-load.long.test.ts
  await expectShortTurns(t, 'a monitor with as many settings as a file may have members');
});

t.test('an export of large monitors delays no other request by 50 ms, and is limited', async (t) => {
  const { api, db } = await startPlain(t);
  await db.raw(
    `INSERT INTO monitors (id, owner_id, created_by, name, type, target, interval_s, config, node_selection, node_count,
       consecutive_fail, consecutive_ok, fail_node_quorum)
     SELECT 'm_' || lpad(i::text, 22, '0'), u.id, u.id, 'name ' || i, CASE WHEN i > 600 THEN 'http' ELSE 'https' END,
       'https://example.com/', 60, json_build_object('body', repeat('x', 60000)), '{"spread": "asn"}', 3, 2, 1, '2/3'
     FROM generate_series(1, 1200) AS i, users u WHERE u.id = ?`,
    [api.userId],
  );
  await db.raw('INSERT INTO monitor_states (monitor_id) SELECT id FROM monitors');
  await holdsNobodyUp(t, '600 monitors of 60 kB', async () =>
    t.equal(await statusOf(api, 'GET', 'export?type=https'), 200),
  );
  t.equal(await statusOf(api, 'GET', 'export'), 400, 'more than fits into one response');
});
