import t, { type Test } from 'tap';
import { readRunningFile } from '../src/db/embedded/running-file.js';
import { createTestDatabase } from './_support/database.js';
import { checkNothingLost, checkRows, install, killServerMidProbes } from './_support/killed-server.js';

const ROUNDS = 10;

async function roundOnExternal(t: Test, kills: number): Promise<void> {
  const { url } = await createTestDatabase(t);
  const installation = await install(t, { VANTAGE_DATABASE_URL: url });
  const accepted: string[] = [];
  for (let kill = 0; kill < kills; kill += 1) accepted.push(...(await killServerMidProbes(installation)));
  await checkNothingLost(installation, accepted);
  await checkRows(installation, url);
}

async function roundOnEmbedded(t: Test): Promise<void> {
  const installation = await install(t);
  const accepted = await killServerMidProbes(installation);
  await checkNothingLost(installation, accepted);
  const running = await readRunningFile(installation.environment['VANTAGE_DATA_DIR'] ?? '');
  await checkRows(installation, running?.url ?? '');
  await installation.server.program.terminate();
}

t.test('kill -9 of the control plane loses no result, ten times out of ten', async (t) => {
  for (let round = 1; round <= ROUNDS; round += 1) await t.test(`round ${round}`, (t) => roundOnExternal(t, 1));
});

t.test('a control plane killed three times in a row loses no result', async (t) => {
  for (let round = 1; round <= 3; round += 1) await t.test(`round ${round}`, (t) => roundOnExternal(t, 3));
});

t.test('kill -9 of the control plane with its embedded database loses no result, ten times out of ten', async (t) => {
  for (let round = 1; round <= ROUNDS; round += 1) await t.test(`round ${round}`, roundOnEmbedded);
});
