import { join } from 'node:path';
import type { Check } from './check.js';
import { runTool } from './tool.js';

/** Two linters, because only Biome knows which calls return promises without TypeScript's own API. */
export const lint: Check = {
  name: 'lint',
  title: 'oxlint (.oxlintrc.json) and the few rules of Biome that need types (biome.json) are content',
  run: async (root) => [
    ...(await runTool(root, join(root, 'node_modules/oxlint/bin/oxlint'), ['--format=unix'])),
    ...(await runTool(root, join(root, 'node_modules/@biomejs/biome/bin/biome'), [
      'lint',
      '--max-diagnostics=200',
      '--reporter=concise',
    ])),
  ],
};
