import { join } from 'node:path';
import type { Check } from './check.js';
import { runTool } from './tool.js';

/**
 * Finds files, exports and dependencies that nothing uses, and dependencies that are used but not declared
 * (knip.json).
 */
export const unused: Check = {
  name: 'unused',
  title: 'knip finds no unused file, export or dependency',
  run: (root) => runTool(root, join(root, 'node_modules/knip/bin/knip.js'), ['--reporter=compact', '--no-progress']),
};
