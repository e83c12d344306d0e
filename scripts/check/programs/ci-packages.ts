import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Entry point of continuous integration: it works before anything is installed, and therefore reads no other file. */
const ciScript = '.ci/run';

/** The Debian packages that `.ci/run` installs. @throws Error when its list is not where it was */
export function readCiPackages(root: string): string[] {
  return findCiPackages(readFileSync(join(root, ciScript), 'utf8'));
}

/** The words of `packages=(…)`. */
export function findCiPackages(script: string): string[] {
  const list = /^packages=\(([^)]*)\)/m.exec(script)?.[1];
  if (list === undefined) throw new Error(`${ciScript}: no list "packages=(…)"`);
  return list.split(/\s+/).filter((word) => word !== '');
}
