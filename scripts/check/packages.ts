import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';
import { listProjectFiles } from './project-files.js';

// npm runs or installs any package with the name, and anyone can register an unused name: a text that says "npx NAME"
// makes its reader run the code of that package.

/** Commands that run a package by its name, and fetch it when it is not installed. */
const runners = ['npx', 'npm exec', 'npm x', 'pnpm dlx', 'pnpx', 'yarn dlx', 'bunx', 'npm create', 'npm init'];
/** Commands that install a package by its name. */
const installers = ['npm install', 'npm i', 'npm add', 'pnpm add', 'yarn add', 'yarn global add', 'bun add'];

/** Files that are read by somebody who has the checkout before them; everything else may be read anywhere. */
const insideCheckout = [/^[^/]+$/, /^docs\//, /^scripts\//, /^\.ci\//];

/** Names a text may use. */
export interface KnownPackages {
  /** Names that this project publishes. */
  readonly published: ReadonlySet<string>;
  /** Programs of the checkout, its own and those of the packages it locks. */
  readonly programs: ReadonlySet<string>;
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
export function findPackages(path: string, text: string, known: KnownPackages): Finding[] {
  const inside = insideCheckout.some((pattern) => pattern.test(path));
  return text.split('\n').flatMap((line, index) => {
    const found = [
      ...named(line, runners).map((command) => complaintAboutRun(command, inside, known)),
      ...named(line, installers).map((command) => complaintAboutInstall(command, known)),
    ];
    return found.flatMap((complaint) => (complaint === null ? [] : [`${path}:${index + 1}: ${complaint}`]));
  });
}

interface Command {
  readonly text: string;
  readonly flags: readonly string[];
  readonly name: string;
}

/** Each use of one of `commands` with a package's name, version cut off. */
function named(line: string, commands: readonly string[]): Command[] {
  const pattern = new RegExp(
    String.raw`(?<![\w-])(?:${commands.join('|')})((?:\s+-{1,2}[a-zA-Z][\w=-]*|\s+--)*)\s+(@?[a-z0-9][\w./-]*)`,
    'g',
  );
  return [...line.matchAll(pattern)].map(([text, flags = '', name = '']) => ({
    text,
    flags: flags.split(/\s+/).filter((flag) => flag !== ''),
    name: name.replace(/[.,;:]+$/, ''),
  }));
}

function complaintAboutRun({ text, flags, name }: Command, inside: boolean, known: KnownPackages): string | null {
  if (known.published.has(name)) return null;
  if (!inside) return `"${text}" may be read where npm would fetch somebody else's package: show curl instead`;
  if (!known.programs.has(name)) return `"${text}" names a program that the checkout does not have`;
  return flags.includes('--no') ? null : `"${text}" fetches a package when nothing is built: use npx --no`;
}

function complaintAboutInstall({ text, flags, name }: Command, known: KnownPackages): string | null {
  const isGlobal = flags.includes('-g') || flags.includes('--global');
  if (known.published.has(name) || (known.locked.has(name) && !isGlobal)) return null;
  return `"${text}" names a package that this project neither publishes nor locks`;
}

interface Manifest {
  readonly name?: string;
  readonly private?: boolean;
  readonly bin?: string | Readonly<Record<string, string>>;
}

function knownPackages(root: string): KnownPackages {
  const lock = readJson(join(root, 'package-lock.json')) as { packages: Record<string, Manifest> };
  const folders = Object.keys(lock.packages).filter((path) => !path.includes('node_modules/'));
  const own = folders.map((path) => readJson(join(root, path, 'package.json')) as Manifest);
  const entries = Object.entries(lock.packages).map(([path, entry]) => ({
    ...entry,
    name: path.split('node_modules/').at(-1) ?? '',
  }));
  return {
    published: new Set(own.filter((manifest) => manifest.private !== true).map(({ name = '' }) => name)),
    programs: new Set([...own, ...entries].flatMap(programsOf)),
    locked: new Set(entries.map(({ name }) => name)),
  };
}

function programsOf({ name = '', bin = {} }: Manifest): string[] {
  return typeof bin === 'string' ? [name] : Object.keys(bin);
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'));
}
