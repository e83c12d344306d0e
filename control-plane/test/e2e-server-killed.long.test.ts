import t, { type Test } from 'tap';
import { readRunningFile } from '../src/db/embedded/running-file.js';
import { createTestDatabase } from './_support/database.js';
import {
  checkNothingLate,
  checkNothingLost,
  checkRows,
  install,
  killServerMidProbes,
} from './_support/killed-server.js';

/** Runs each round as a test of its own, so that a failure shows the round. */
async function repeat(t: Test, rounds: number, run: (t: Test) => Promise<void>): Promise<void> {
  for (let round = 1; round <= rounds; round += 1) await t.test(`round ${round}`, run);
}

t.test('kill -9 of the control plane loses no result, five times out of five', async (t) => {
  await repeat(t, 5, async (t) => {
    const { url } = await createTestDatabase(t);
    const installation = await install(t, { VANTAGE_DATABASE_URL: url });
    await checkNothingLost(installation, await killServerMidProbes(installation));
    await checkNothingLate(installation);
    await checkRows(installation, url);
  });
});

t.test('a control plane killed three times in a row loses no result', async (t) => {
  await repeat(t, 2, async (t) => {
    const { url } = await createTestDatabase(t);
    const installation = await install(t, { VANTAGE_DATABASE_URL: url });
    const accepted: string[] = [];
    for (let kill = 1; kill <= 3; kill += 1) accepted.push(...(await killServerMidProbes(installation)));
    await checkNothingLost(installation, accepted);
    await checkRows(installation, url);
  });
});

t.test('a control plane killed with its embedded database loses no result, three times out of three', async (t) => {
  await repeat(t, 3, async (t) => {
    const installation = await install(t);
    await checkNothingLost(installation, await killServerMidProbes(installation));
    await checkNothingLate(installation);
    const running = await readRunningFile(installation.environment['VANTAGE_DATA_DIR'] ?? '');
    await checkRows(installation, running?.url ?? '');
    await installation.server.program.terminate();
  });
});
