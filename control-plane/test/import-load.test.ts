import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { importFile } from './_support/import-file.js';
import { largeFiles, manyAnchors, manyKeys } from './_support/large-files.js';
import { createUserApi, startStack } from './_support/stack.js';

const YAML = 'application/yaml';
const small = 'endpoints:\n  - {name: Shop, url: "https://example.com/", conditions: ["[STATUS] == 200"]}\n';

const { api, controlPlane } = await startStack(t);
await CheckingNode.join(t, api);

// how long they hold up other requests: import-load.long.test.ts
t.test('files designed to take long do not keep other accounts from importing', async (t) => {
  const other = await createUserApi(controlPlane, 'other@test.example', 'user');
  const files = [manyAnchors(), manyKeys()];
  const long = Promise.all(files.map((file) => importFile(api, file, 'dry_run=true', YAML)));
  // all have arrived before the next one is sent
  await importFile(api, '{}');
  const { status, report } = await importFile(other, small, 'dry_run=true', YAML);
  t.equal(status, 200);
  t.equal(report?.created.length, 1);
  t.same([...new Set((await long).map((one) => one.status))].sort(), [400, 409]);
});

t.test('an account has one import at a time, and the next one gets the time to retry', async (t) => {
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
