import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packagesOfEveryDebian, packagesToInstall } from '@vantage/shared/_support/external-programs.js';
import type { Check, Finding } from './check.js';
import { readCiPackages } from './programs/ci-packages.js';
import { ProgramTree } from './programs/program-tree.js';
import { listProjectFiles } from './project-files.js';
import { readSourceFiles } from './source-files.js';

/** Every program that something starts is declared, so that a machine without it skips with the name of its package. */
export const programs: Check = {
  name: 'programs',
  title: 'every program that is started is declared with its Debian package, and .ci/run installs those packages',
  run: async (root) => {
    const tree = readProgramTree(root);
    return [...tree.judge(), ...judgeCiPackages(readCiPackages(root), tree.packages())];
  },
};

/** All sources, and the scripts that run before anything is compiled. */
export function readProgramTree(root: string): ProgramTree {
  const scripts = listProjectFiles(root).filter((path) => path.endsWith('.mjs'));
  const read = (path: string) => ({ path, text: readFileSync(join(root, path), 'utf8') });
  return new ProgramTree([...readSourceFiles(root), ...scripts.map(read)]);
}

/** Finds packages that `.ci/run` fails to install, or installs without need. */
export function judgeCiPackages(listed: readonly string[], declared: readonly string[]): Finding[] {
  const wanted = [...new Set([...packagesToInstall, ...declared])].filter((name) => !packagesOfEveryDebian.has(name));
  return [
    ...wanted
      .filter((name) => !listed.includes(name))
      .map((name) => `.ci/run: does not install "${name}", which a test needs`),
    ...listed
      .filter((name) => !wanted.includes(name))
      .map((name) => `.ci/run: installs "${name}", which no test needs`),
  ];
}
