import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A TypeScript file of the project. */
export interface SourceFile {
  /** Relative to the repository root: `agent/src/net/resolver.ts`. */
  readonly path: string;
  readonly text: string;
}

const folders = [
  'shared/src',
  'agent/src',
  'agent/test',
  'control-plane/src',
  'control-plane/test',
  'control-plane/console',
  'scripts',
];
const derived = new Set(['dist', 'node_modules', 'generated', 'testdata']);

/** Every hand-written TypeScript file, by path. */
export function readSourceFiles(root: string): SourceFile[] {
  return folders
    .flatMap((folder) => [...walk(root, folder)])
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

function* walk(root: string, folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = `${folder}/${entry.name}`;
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !derived.has(entry.name)) yield* walk(root, path);
  }
}

/** Tests and what only they use: they may reach past every door. */
export function isTestCode(path: string): boolean {
  return /\.test\.ts$|^[^/]+\/test\/|\/_support\//.test(path);
}
