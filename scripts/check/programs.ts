import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOfCi } from '@vantage/shared/_support/external-programs.js';
import type { Check, Finding } from './check.js';

const script = '.ci/run';
const table = 'shared/src/_support/external-programs.ts';

/** `.ci/run`, which works before anything is installed and therefore has its own list, installs the programs of the table. */
export const programs: Check = {
  name: 'programs',
  title: `${script} installs the Debian packages of ${table}`,
  run: async (root) => judgeCiPackages(readFileSync(join(root, script), 'utf8'), packagesOfCi()),
};

/** Differences between the words of `packages=(…)` and the packages that tests need. */
function judgeCiPackages(text: string, wanted: readonly string[]): Finding[] {
  const list = /^packages=\(([^)]*)\)/m.exec(text)?.[1];
  if (list === undefined) return [`${script}: no list "packages=(…)"`];
  const listed = list.split(/\s+/).filter((word) => word !== '');
  const missing = wanted.filter((name) => !listed.includes(name));
  const spare = listed.filter((name) => !wanted.includes(name));
  return [
    ...missing.map((name) => `${script}: add "${name}", which ${table} has`),
    ...spare.map((name) => `${script}: remove "${name}", which ${table} does not have`),
  ];
}
