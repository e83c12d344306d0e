import { join } from 'node:path';
import type { Check } from './check.js';
import { runTool } from './tool.js';

/** Compiles every package. Incremental: output of the set-up is reused. */
export const types: Check = {
  name: 'types',
  title: 'every package compiles',
  run: (root) => runTool(root, join(root, 'node_modules/typescript/bin/tsc'), ['-b']),
};
