import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { deadlineMs } from '../src/modules/monitors/transfer/file/file-reader.js';
import { CheckingNode } from './_support/checking-node.js';
import { importFile } from './_support/import-file.js';
import { manyKeys } from './_support/large-files.js';
import { createUserApi, startStack } from './_support/stack.js';

const YAML = 'application/yaml';
const small = 'endpoints:\n  - {name: Shop, url: "https://example.com/", conditions: ["[STATUS] == 200"]}\n';

// the time that a file may take ends only when a test lets it
const clock = new FakeClock(Date.now(), { rounds: [] });
const { api, controlPlane } = await startStack(t, {}, clock);
await CheckingNode.join(t, api);

// how long files hold up other requests: import-load.long.test.ts
t.test('a file designed to take long does not keep other accounts from importing', async (t) => {
  const other = await createUserApi(controlPlane, 'other@test.example', 'user');
  const keys = manyKeys();
  const long = importFile(api, keys, 'dry_run=true', YAML);
  await until('it to be read', () => clock.begun(deadlineMs(keys.length)) === 1);
  const { status, report } = await importFile(other, small, 'dry_run=true', YAML);
  t.equal(status, 200);
  t.equal(report?.created.length, 1);
  clock.advance(deadlineMs(keys.length));
  t.equal((await long).status, 400);
});

t.test('an account has one import at a time, and the next one gets the time to retry', async (t) => {
  const file = manyKeys();
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
