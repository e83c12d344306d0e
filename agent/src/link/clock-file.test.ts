import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { ClockFile, machineUptime, readKeptClock } from './clock-file.js';
import { ClockSync } from './clock-sync.js';

t.test('the known offset of the server’s time is available to the next process', async (t) => {
  const stateDir = t.testdir();
  const clock = new FakeClock();
  const clockSync = new ClockSync(clock, { uptime: await machineUptime() });
  const file = new ClockFile({ stateDir, clock, clockSync });
  await file.stop();
  t.equal(await readKeptClock(stateDir), null, 'nothing is kept where nothing is known');
  const serverAt = clock.now() + 5_000;
  clockSync.add({ sentMs: 0, receivedMs: 0, serverReceivedAt: serverAt, serverSentAt: serverAt });
  await file.stop();
  const kept = await readKeptClock(stateDir);
  t.match(kept, { wallAt: clock.now(), uncertaintyMs: Number });
  t.equal(new ClockSync(clock, { uptime: await machineUptime(), kept }).isKnown, true);
});

t.test('a damaged file counts as missing', async (t) => {
  const stateDir = t.testdir();
  for (const text of ['', '{', 'null', '[]', '{"boot_id":"x","uptime_ms":"1"}', '{"boot_id":1}']) {
    writeFileSync(join(stateDir, 'clock.json'), text);
    t.equal(await readKeptClock(stateDir), null, text);
  }
});
