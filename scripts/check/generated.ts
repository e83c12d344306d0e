import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Check } from './check.js';

/** Generated files are what their sources generate today. */
export const generated: Check = {
  name: 'generated',
  title: 'the protocol code is what its source generates',
  run: compareProtocol,
};

async function compareProtocol(root: string): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'vantage-generated-'));
  try {
    const generator: { generateProtocol(folder: string): void } = await import(
      pathToFileURL(join(root, 'scripts/generate-protocol.mjs')).href
    );
    generator.generateProtocol(folder);
    return ['link.js', 'link.d.ts']
      .filter((name) => read(join(folder, name)) !== read(join(root, 'shared/generated', name)))
      .map(
        (name) => `shared/generated/${name}: not what proto/link.proto generates: node scripts/generate-protocol.mjs`,
      );
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function read(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
