import t from 'tap';
import { createTestDatabase } from './_support/database.js';
import {
  checkNothingLate,
  checkNothingLost,
  checkRows,
  install,
  killServerMidProbes,
} from './_support/killed-server.js';

t.test('kill -9 of the control plane during running probes loses no result', async (t) => {
  const { url } = await createTestDatabase(t);
  const installation = await install(t, { VANTAGE_DATABASE_URL: url });
  const accepted = await killServerMidProbes(installation);
  await checkNothingLost(installation, accepted);
  await checkNothingLate(installation);
  await checkRows(installation, url);
});
