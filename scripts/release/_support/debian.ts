import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { demand } from '@vantage/shared/_support/missing.js';
import type { Test } from 'tap';

const run = promisify(execFile);
/** Continuous integration keeps them for its next checkout. */
const CACHE = process.env['VANTAGE_TEST_CACHE'] ?? fileURLToPath(new URL('../../../../.cache', import.meta.url));

/**
 * Shell: makes the folder of its first argument with the other ones, unless it is there. A name of its own for each attempt: one that
 * was killed may have left mounts.
 */
const MAKE = `[ ! -d "$1" ] || exit 0
root=$1
shift
debootstrap --variant=minbase "$@" "$root.$$"
mv -T "$root.$$" "$root"`;

/** Suite, and packages in addition to its smallest Debian. */
const debians = {
  /** For a one-line installation. */
  bookworm: ['bookworm', 'ca-certificates', 'curl', 'openssl'],
  /** Init system of Debian, and what it recommends for units with a user of their own, in addition. */
  'bookworm-systemd': ['bookworm', 'ca-certificates', 'curl', 'minisign', 'systemd-sysv', 'libnss-systemd'],
  /** Too old for the archives. */
  bullseye: ['bullseye', 'openssl'],
} as const;

/** A Debian that debootstrap makes once. */
export type Debian = keyof typeof debians;

/** Folder that shows a Debian and keeps changes to itself; gone when `t` ends. */
export async function mountDebian(t: Pick<Test, 'teardown'>, debian: Debian): Promise<string> {
  demand('debootstrap', 'flock', 'mount', 'umount');
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
  const [suite, ...packages] = debians[debian];
  await mkdir(join(CACHE, 'roots'), { recursive: true });
  // with all that it has in its name: the cache outlives changes
  const folder = join(CACHE, 'roots', [suite, ...packages].join('+'));
  const make = ['sh', '-ec', MAKE, 'sh', folder, `--include=${packages.join(',')}`, suite];
  await run('flock', [`${folder}.lock`, ...make], { maxBuffer: 64 * 1024 * 1024 });
  return folder;
}
