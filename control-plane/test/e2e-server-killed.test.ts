import { readFileSync } from 'node:fs';
import path from 'node:path';
import t from 'tap';
import { createTestDatabase } from './_support/database.js';
import { checkNothingLost, countRows, install, killServerMidProbes } from './_support/killed-server.js';

t.test('kill -9 of the control plane in the middle of running probes loses no result', async (t) => {
  const { url } = await createTestDatabase(t);
  const installation = await install(t, { VANTAGE_DATABASE_URL: url });
  const accepted = await killServerMidProbes(installation);
  await checkNothingLost(installation, accepted);
  const count = installation.target.requests.length;
  t.match(await countRows(url), { done: count, others: 0, delivered: count, superseded: 0, dead_letters: 0, gaps: 0 });
});

t.test('kill -9 of the control plane with its embedded database loses no result', async (t) => {
  const installation = await install(t);
  const accepted = await killServerMidProbes(installation);
  await checkNothingLost(installation, accepted);
  const dataDir = installation.environment['VANTAGE_DATA_DIR'] ?? '';
  const { url } = JSON.parse(readFileSync(path.join(dataDir, 'database.json'), 'utf8'));
  const count = installation.target.requests.length;
  t.match(await countRows(url), { done: count, others: 0, delivered: count, superseded: 0, dead_letters: 0, gaps: 0 });
  t.match(await installation.server.program.terminate(), { code: 0 });
});
