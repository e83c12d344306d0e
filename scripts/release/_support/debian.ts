import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';

const run = promisify(execFile);
const CACHE = fileURLToPath(new URL('../../../../.cache/roots/', import.meta.url));

/** Suite, and packages in addition to its smallest Debian, by the name of the folder that keeps it. */
const debians = {
  /** For a one-line installation. */
  bookworm: ['bookworm', 'ca-certificates', 'curl', 'openssl'],
  /** Init system of Debian, and what it recommends for units with a user of their own, in addition. */
  'bookworm-systemd': ['bookworm', 'ca-certificates', 'curl', 'minisign', 'systemd-sysv', 'libnss-systemd'],
  /** Too old for the archives. */
  bullseye: ['bullseye', 'openssl'],
} as const;

/** A Debian that debootstrap makes once per checkout. */
export type Debian = keyof typeof debians;

/** Folder that shows a Debian and keeps changes to itself; gone when `t` ends. */
export async function mountDebian(t: Pick<Test, 'teardown'>, debian: Debian): Promise<string> {
  demand('debootstrap', 'mount', 'umount');
  const original = await fetchDebian(debian);
  const directory = await mkdtemp(join(tmpdir(), 'vantage-root-'));
  const [upper, work, merged] = [join(directory, 'upper'), join(directory, 'work'), join(directory, 'merged')];
  for (const path of [upper, work, merged]) await mkdir(path);
  const layers = `lowerdir=${original},upperdir=${upper},workdir=${work}`;
  await run('mount', ['-t', 'overlay', 'overlay', '-o', layers, merged]);
  t.teardown(async () => {
    await run('umount', ['-l', merged]);
    await rm(directory, { recursive: true, force: true });
  });
  return merged;
}

/** Folder of a Debian as debootstrap makes it. */
async function fetchDebian(debian: Debian): Promise<string> {
  const folder = join(CACHE, debian);
  if (existsSync(folder)) return folder;
  const fresh = `${folder}.${process.pid}`;
  await mkdir(CACHE, { recursive: true });
  const [suite, ...packages] = debians[debian];
  await run('debootstrap', ['--variant=minbase', `--include=${packages.join(',')}`, suite, fresh], {
    maxBuffer: 64 * 1024 * 1024,
  });
  await rename(fresh, folder).catch((error: unknown) => {
    // another test was faster
    if (!existsSync(folder)) throw error;
  });
  await rm(fresh, { recursive: true, force: true });
  return folder;
}
