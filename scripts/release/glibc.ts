import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT = 64 * 1024 * 1024;
/** First bytes of a program or a library. */
export const ELF = '\u007fELF';

/** Newest version of the GNU C library whose symbols the programs and libraries under a directory use: older systems cannot load them. */
export async function glibcFloor(directory: string): Promise<string> {
  const versions: string[] = [];
  for (const file of await elfFiles(directory)) {
    const { stdout } = await run('objdump', ['--dynamic-syms', file], { maxBuffer: MAX_OUTPUT });
    versions.push(...[...stdout.matchAll(/GLIBC_(\d+(?:\.\d+)+)/g)].map(([, version = '']) => version));
  }
  return versions.reduce((newest, version) => (isNewer(version, newest) ? version : newest), '0');
}

async function elfFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const isElf = await Promise.all(files.map(async (file) => (await headOf(file)) === ELF));
  return files.filter((_, index) => isElf[index]);
}

/** First four bytes of a file, as Latin-1. */
export async function headOf(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** True if the first of two versions (numbers separated by dots) is the newer one. */
export function isNewer(version: string, other: string): boolean {
  const [mine, theirs] = [version, other].map((text) => text.split('.').map(Number));
  for (let at = 0; at < Math.max(mine?.length ?? 0, theirs?.length ?? 0); at += 1) {
    const difference = (mine?.[at] ?? 0) - (theirs?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
