import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { makeScratchDirectory } from './scratch-directory.js';

const prefix = `vantage-scratch-test-${process.pid}-`;

t.test(
  'what a killed process has left is removed by the next, what lives, is kept or is of another process namespace is not',
  async (t) => {
    const ended = spawnSync('true').pid;
    const left = mkdtempSync(join(tmpdir(), prefix));
    writeFileSync(join(left, 'owner.pid'), `${ended} ${readlinkSync('/proc/self/ns/pid')}`);
    const ofOtherNamespace = mkdtempSync(join(tmpdir(), prefix));
    t.teardown(() => rmSync(ofOtherNamespace, { recursive: true }));
    writeFileSync(join(ofOtherNamespace, 'owner.pid'), `${ended} pid:[1]`);
    const released: string[] = [];
    const mine = await makeScratchDirectory({ prefix, release: (path) => void released.push(path) });
    const kept = await makeScratchDirectory({ prefix });
    t.teardown(() => Promise.all([mine.remove(), kept.remove()]));
    await kept.keep();
    const next = await makeScratchDirectory({ prefix });
    t.notOk(existsSync(left));
    t.ok(existsSync(ofOtherNamespace));
    t.ok(existsSync(mine.path));
    t.ok(existsSync(kept.path));
    t.strictSame(released, [left]);
    await next.remove();
    t.notOk(existsSync(next.path));
  },
);
