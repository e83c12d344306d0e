import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { makeScratchDirectory } from './scratch-directory.js';

const prefix = `vantage-scratch-test-${process.pid}-`;

t.test('what a killed process has left is removed by the next, what lives or is kept is not', async (t) => {
  const ended = spawnSync('true').pid;
  const left = mkdtempSync(join(tmpdir(), prefix));
  writeFileSync(join(left, 'owner.pid'), String(ended));
  const released: string[] = [];
  const mine = await makeScratchDirectory({ prefix, release: (path) => void released.push(path) });
  const kept = await makeScratchDirectory({ prefix });
  t.teardown(() => Promise.all([mine.remove(), kept.remove()]));
  await kept.keep();
  const next = await makeScratchDirectory({ prefix });
  t.notOk(existsSync(left));
  t.ok(existsSync(mine.path));
  t.ok(existsSync(kept.path));
  t.strictSame(released, [left]);
  await next.remove();
  t.notOk(existsSync(next.path));
});
