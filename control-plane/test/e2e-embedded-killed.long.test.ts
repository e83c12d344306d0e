import t from 'tap';
import { readRunningFile } from '../src/db/embedded/running-file.js';
import {
  checkNothingLate,
  checkNothingLost,
  checkRows,
  install,
  killServerMidProbes,
} from './_support/killed-server.js';

t.test('kill -9 of the control plane with its embedded database loses no result', async (t) => {
  const installation = await install(t);
  const accepted = await killServerMidProbes(installation);
  await checkNothingLost(installation, accepted);
  await checkNothingLate(installation);
  const running = await readRunningFile(installation.environment['VANTAGE_DATA_DIR'] ?? '');
  await checkRows(installation, running?.url ?? '');
  t.match(await installation.server.program.terminate(), { code: 0 });
});
