import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { listProjectFiles } from './project-files.js';

// npm runs or installs any package with the name, and anyone can register an unused name: a text that says "npx NAME"
// makes its reader run the code of that package.

const run = 'npx|npm exec|npm x|npm create|npm init|pnpm dlx|pnpx|yarn dlx|bunx';
const install = 'npm install|npm i|npm add|pnpm add|yarn add|yarn global add|bun add';
const command = new RegExp(
  String.raw`(?<![\w-])(?:(${run})|${install})((?:\s+-{1,2}[a-zA-Z][\w=-]*|\s+--)*)\s+(@?[a-z0-9][\w./-]*)`,
  'g',
);

/** Names a text may use. */
export interface KnownPackages {
  /** Names that this project publishes. */
  readonly published: ReadonlySet<string>;
  /** Packages in the lockfile. */
  readonly locked: ReadonlySet<string>;
}

/** Refuses texts that have their reader run or install a package that is not ours. */
export const packages: Check = {
  name: 'packages',
  title: 'no text has a reader run a package that this project neither publishes nor locks',
  run: async (root) => {
    const known = knownPackages(root);
    return listProjectFiles(root)
      .filter((path) => path !== 'package-lock.json')
      .flatMap((path) => findPackages(path, readFileSync(join(root, path), 'latin1'), known));
  },
};

/** Commands in a file that fetch a package by a name that is not ours, each with its line. */
export function findPackages(path: string, text: string, { published, locked }: KnownPackages): Finding[] {
  return text.split('\n').flatMap((line, index) =>
    [...line.matchAll(command)].flatMap(([said, runner, flags = '', word = '']) => {
      const name = word.replace(/[.,;:]+$/, '');
      const isSafe =
        runner === undefined ? locked.has(name) && !/ (?:-g|--global)\b/.test(flags) : / --no(?: |$)/.test(flags);
      if (published.has(name) || isSafe) return [];
      const instead =
        runner === undefined ? 'name a package of the lockfile' : 'show a script of the checkout, or curl';
      return [`${path}:${index + 1}: "${said}" may fetch somebody else's package: ${instead}`];
    }),
  );
}

function knownPackages(root: string): KnownPackages {
  const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'));
  const paths = Object.keys((readJson('package-lock.json') as { packages: object }).packages);
  const own: { name: string; private?: boolean }[] = paths
    .filter((path) => !path.includes('node_modules/'))
    .map((path) => readJson(join(path, 'package.json')));
  return {
    published: new Set(own.filter((manifest) => manifest.private !== true).map(({ name }) => name)),
    locked: new Set(paths.map((path) => path.split('node_modules/').at(-1) ?? '')),
  };
}
