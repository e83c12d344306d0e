import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const derived = new Set(['.git', 'node_modules', 'dist', 'generated', '.cache', '.tap', 'coverage']);

/** Every file of the checkout that is not derived, relative to its root, by path. */
export function listProjectFiles(root: string, folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      // in a linked working tree of git, .git is a file
      if (derived.has(entry.name)) return [];
      if (entry.isDirectory()) return listProjectFiles(root, path);
      return entry.isFile() ? [path] : [];
    })
    .sort();
}
