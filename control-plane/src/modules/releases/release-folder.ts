import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Files of every release, in addition to those that its manifest names. */
const ALWAYS = new Set(['manifest', 'manifest.minisig', 'SHA256SUMS']);

export interface ReleaseFile {
  readonly path: string;
  readonly bytes: number;
}

/** A folder as `npm run release` writes it. It may be replaced by another release while the server runs. */
export class ReleaseFolder {
  constructor(private readonly folder: string) {}

  /** A file of the release by its name; null if it has none of this name. */
  async find(name: string): Promise<ReleaseFile | null> {
    if (!ALWAYS.has(name) && !(await this.#isNamed(name))) return null;
    const path = join(this.folder, name);
    const found = await stat(path).catch(() => null);
    return found?.isFile() === true ? { path, bytes: found.size } : null;
  }

  /** Only files that the manifest names are served, whatever else is in the folder. */
  async #isNamed(name: string): Promise<boolean> {
    const manifest = await readFile(join(this.folder, 'manifest'), 'utf8').catch(() => '');
    return /^[\w.-]+$/.test(name) && manifest.split('\n').some((line) => line.startsWith(`file ${name} `));
  }
}
