import { join } from 'node:path';
import type { Check } from './check.js';
import { runTool } from './tool.js';

/** Formatting and the order of imports, as `npm run format` writes them. */
export const format: Check = {
  name: 'format',
  title: 'files are formatted and imports ordered; npm run format does it',
  run: (root) =>
    runTool(root, join(root, 'node_modules/@biomejs/biome/bin/biome'), [
      'check',
      '--linter-enabled=false',
      '--max-diagnostics=200',
      '--reporter=concise',
    ]),
};
