import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { NodePackage, ReleasedProgram } from './contents.js';
import { ELF, headOf } from './glibc.js';
import { packageSbom } from './sbom.js';

/** Sources of a release. */
export interface Sources {
  /** Root of this project, built. */
  readonly root: string;
  /** Program of Node.js that goes into the archives. */
  readonly node: string;
  readonly version: string;
}

/**
 * Puts all files of a program under `directory`: `bin` with a shell script for each command, `lib/node`, and the program with its packages
 * under `lib/NAME`. Modes are those of a fresh file, whatever they were here.
 */
export async function stage(program: ReleasedProgram, directory: string, sources: Sources): Promise<void> {
  const { root, node, version } = sources;
  const home = join(directory, 'lib', program.name);
  const from = join(root, program.folder);
  await mkdir(home, { recursive: true });
  await cp(node, join(directory, 'lib', 'node'));
  await cp(join(from, 'dist', 'program'), join(home, 'dist', 'program'), { recursive: true });
  for (const file of program.files) await copyFile(join(from, file), join(home, file));
  for (const wanted of program.packages) await copyPackage(wanted, from, join(home, 'node_modules', wanted.name));
  await writeFile(join(home, 'package.json'), await packageFile(join(from, 'package.json'), version));
  await copyFile(join(root, 'LICENSE'), join(directory, 'LICENSE'));
  for (const [to, path] of Object.entries(program.copies)) await copyFile(join(root, path), join(directory, to));
  await writeFile(join(directory, 'sbom.cdx.json'), await packageSbom(root, program, version));
  for (const [command, options] of Object.entries(program.commands))
    await writeCommand(command, options, { program, directory });
  await setModes(directory);
}

async function copyFile(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  await cp(from, to);
}

/** @throws Error naming the file that is missing */
async function copyPackage({ name, files }: NodePackage, from: string, to: string): Promise<void> {
  const source = findPackage(name, from);
  for (const file of files) {
    await mkdir(dirname(join(to, file)), { recursive: true });
    await cp(join(source, file), join(to, file), { recursive: true, verbatimSymlinks: true });
  }
}

/** Folder of a package as Node.js finds it; by its path, for some packages hide their package.json. @throws Error */
function findPackage(name: string, from: string): string {
  const folders = createRequire(join(from, 'package.json')).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(join(path, 'package.json')));
  if (found === undefined) throw new Error(`${name} is not installed`);
  return found;
}

/** Fields of package.json that the program reads: name, version, type and its own imports. */
async function packageFile(path: string, version: string): Promise<string> {
  const { name, type, imports } = JSON.parse(await readFile(path, 'utf8'));
  return `${JSON.stringify({ name, version, type, imports }, null, 2)}\n`;
}

interface CommandPlace {
  readonly program: ReleasedProgram;
  readonly directory: string;
}

/** A command finds its folder by its own path, through links to it as well. */
async function writeCommand(
  command: string,
  options: readonly string[],
  { program, directory }: CommandPlace,
): Promise<void> {
  const file = join(directory, 'bin', command);
  await mkdir(dirname(file), { recursive: true });
  const words = ['"$home/lib/node"', ...options, `"$home/lib/${program.name}/dist/program/${command}.js"`, '"$@"'];
  await writeFile(file, `#!/bin/sh\nhome=$(dirname "$(dirname "$(readlink -f "$0")")")\nexec ${words.join(' ')}\n`);
}

async function setModes(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true });
  await chmod(path, 0o755);
  for (const entry of entries) {
    const file = join(path, entry.name);
    if (entry.isDirectory()) await setModes(file);
    else if (entry.isFile()) await chmod(file, (await isProgram(file)) ? 0o755 : 0o644);
  }
}

/** ELF programs and scripts; native modules are loaded, not run. */
async function isProgram(file: string): Promise<boolean> {
  if (/\.(?:node|so[.\d]*|js|mjs|json)$/.test(file)) return false;
  const head = await headOf(file);
  return head === ELF || head.startsWith('#!');
}
