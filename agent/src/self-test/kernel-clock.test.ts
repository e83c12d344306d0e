import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readKernelClock } from '@vantage/shared/kernel-clock.js';
import t from 'tap';
import { temporaryDirectory } from '../../test/_support/temporary-directory.js';

/** For a script that a slow machine starts late. */
const PATIENCE_MS = 60_000;

t.test('a clock is synchronised if systemd or the kernel reports it; otherwise this is unknown', async (t) => {
  const directory = temporaryDirectory(t);
  const program = join(directory, 'timedatectl');
  const mark = join(directory, 'synchronized');
  const path = process.env['PATH'];
  process.env['PATH'] = directory;
  t.teardown(() => {
    process.env['PATH'] = path;
  });
  t.equal(await readKernelClock(mark, PATIENCE_MS), null, 'no timedatectl');
  const asked = 'show --property=NTPSynchronized --value';
  for (const { says, expected } of [
    { says: 'echo yes', expected: true },
    { says: 'echo no', expected: false },
    { says: 'echo perhaps', expected: null },
    { says: 'echo yes; exit 1', expected: null },
  ]) {
    writeFileSync(program, `#!/bin/sh\n[ "$*" = "${asked}" ] || exit 2\n${says}\n`);
    chmodSync(program, 0o755);
    t.equal(await readKernelClock(mark, PATIENCE_MS), expected, says);
  }
  rmSync(program);
  writeFileSync(mark, '');
  t.equal(await readKernelClock(mark, PATIENCE_MS), true, 'the mark of systemd-timesyncd is enough');
});
