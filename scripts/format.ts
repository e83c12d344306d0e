import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeDocLists } from './check/docs.js';
import { digestFile, digestOf, openApiWriter, writeOpenApi } from './check/openapi-document.js';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/**
 * `npm run format`: formats files and orders imports; with paths, only those. Without, it also writes what the code
 * generates into the documents: marked lists and docs/openapi-digest.txt.
 * @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const options = { cwd: root, stdio: 'inherit' } as const;
  const code =
    spawnSync(process.execPath, [biome, 'check', '--write', '--linter-enabled=false', ...args], options).status ?? 1;
  if (args.length > 0) return code;
  for (const path of await writeDocLists(root)) process.stdout.write(`wrote the lists of ${path}\n`);
  if (existsSync(join(root, openApiWriter))) writeFileSync(join(root, digestFile), digestOf(await writeOpenApi(root)));
  return code;
}
