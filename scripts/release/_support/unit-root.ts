import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';

const run = promisify(execFile);
const UNITS = fileURLToPath(new URL('../../../../systemd', import.meta.url));
const SYSTEM_UNITS = 'usr/lib/systemd/system';

/** Folder that systemd-analyze takes for the root of a machine. */
export interface UnitRoot {
  /** Complaints about a unit, as `systemd-analyze verify` prints them; '' for none. */
  verify(unit: string): Promise<string>;
  /** Exposure level of a service from 0 to 10, as `systemd-analyze security` prints it. */
  exposure(service: string): Promise<number>;
}

/** Makes a root with the units of this project, those of this machine, and programs of the given paths; gone when `t` ends. */
export async function makeUnitRoot(
  t: Test,
  options: { readonly programs: readonly string[]; readonly dropIns: boolean },
): Promise<UnitRoot> {
  demand('systemd-analyze');
  const root = await mkdtemp(join(tmpdir(), 'vantage-units-'));
  t.teardown(() => rm(root, { recursive: true }));
  await cp(join('/', SYSTEM_UNITS), join(root, SYSTEM_UNITS), { recursive: true, verbatimSymlinks: true });
  const filter = (path: string) => options.dropIns || !path.endsWith('.d');
  await cp(UNITS, join(root, 'etc/systemd/system'), { recursive: true, filter });
  for (const program of options.programs) {
    await mkdir(dirname(join(root, program)), { recursive: true });
    await writeFile(join(root, program), '#!/bin/sh\n', { mode: 0o755 });
  }
  const analyze = (...args: readonly string[]) =>
    run('systemd-analyze', [...args.slice(0, -1), `--root=${root}`, ...args.slice(-1)], {
      env: { ...process.env, SYSTEMD_COLORS: '0' },
    });
  return {
    async verify(unit) {
      const { stderr } = await analyze('verify', '--man=no', unit).catch((error: { stderr: string }) => error);
      return stderr;
    },
    async exposure(service) {
      const { stdout } = await analyze('security', '--offline=true', service);
      return Number(/Overall exposure level for \S+: (\S+)/.exec(stdout)?.[1]);
    },
  };
}
