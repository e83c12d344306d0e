import { execFile } from 'node:child_process';
import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compareVersions } from '@vantage/shared/version-order.js';

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
  return newestOf(...versions);
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

/** Newest of some versions; 0 of none. */
export function newestOf(...versions: readonly string[]): string {
  return versions.toSorted(compareVersions).at(-1) ?? '0';
}
