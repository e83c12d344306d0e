import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readlinkSync, realpathSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { externalPrograms, packagesToInstall } from '@vantage/shared/_support/external-programs.js';
import { isInstalled } from '@vantage/shared/_support/missing.js';
import { makeScratchDirectory } from '../scratch-directory.js';
import { packageFormat, parsePackages, withDependencies } from './debian-packages.js';

/** A PATH like that of a machine that has what README.md asks for and nothing else. */
export interface BarePath {
  /** One folder of symbolic links. */
  readonly path: string;
  /** Programs that tests would use and that are installed here, but not on such a machine. */
  readonly leftOut: readonly string[];
  /** Programs on the PATH and those left out, in two lines. */
  readonly description: string;
  remove(): Promise<void>;
}

const folders = ['/usr/bin', '/usr/sbin', '/bin', '/sbin'];
const ALTERNATIVES = '/etc/alternatives/';

/**
 * Creates it from the packages that every Debian has, those that README.md requires, all their dependencies, and
 * Node. @throws Error without a dpkg to list the files of packages
 */
export async function makeBarePath(): Promise<BarePath> {
  const installed = parsePackages(run('dpkg-query', '--show', `--showformat=${packageFormat}`));
  const essential = installed.filter(({ isOnEveryDebian }) => isOnEveryDebian).map(({ name }) => name);
  const packages = withDependencies(installed, [...essential, ...packagesToInstall]);
  const programs = [...programsOf(packages), ...nodePrograms()];
  const scratch = await makeScratchDirectory({ prefix: 'vantage-bare-' });
  const path = join(scratch.path, 'bin');
  mkdirSync(path);
  const names = new Set<string>();
  for (const file of programs) {
    if (!names.has(basename(file))) symlinkSync(file, join(path, basename(file)));
    names.add(basename(file));
  }
  const leftOut = externalPrograms.filter((program) => isInstalled(program) && !names.has(program));
  const description = `bare: ${names.size} programs of ${packages.length} packages: those of every Debian, ${packagesToInstall.join(', ')}, what they depend on, and Node
bare: left out although installed here: ${leftOut.join(', ') || 'nothing'}`;
  return { path, leftOut, description, remove: () => scratch.remove() };
}

/** Files of these packages in folders of programs, and the alternatives that lead to them: `cc`, `awk`. */
function programsOf(packages: readonly string[]): string[] {
  const owned = run('dpkg', '--listfiles', ...packages).split('\n');
  const files = owned.filter((file) => folders.includes(dirname(file)) && existsSync(file));
  const targets = new Set(files.map((file) => realpathSync(file)));
  return [...files, ...alternatives().filter((file) => targets.has(realpathSync(file)))];
}

/** update-alternatives(1) makes links that belong to no package. */
function alternatives(): string[] {
  return folders
    .flatMap((folder) => readdirSync(folder, { withFileTypes: true }))
    .filter((entry) => entry.isSymbolicLink())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => readlinkSync(file).startsWith(ALTERNATIVES) && existsSync(file));
}

/** The running Node, and the npm beside it. */
function nodePrograms(): string[] {
  const beside = ['npm', 'npx'].map((name) => join(dirname(process.execPath), name));
  return [process.execPath, ...beside.filter((file) => existsSync(file))];
}

function run(program: string, ...args: readonly string[]): string {
  try {
    return execFileSync(program, args, {
      encoding: 'utf8',
      maxBuffer: 64 * 2 ** 20,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  } catch (cause) {
    throw new Error(`--bare: ${program} did not list the essential packages of Debian`, { cause });
  }
}
