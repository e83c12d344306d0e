import { join } from 'node:path';
import type { Check } from './check.js';
import { runTool } from './tool.js';

/** Everything compiles. Incremental: what set-up compiled a moment ago is not compiled again. */
export const types: Check = {
  name: 'types',
  title: 'every package compiles',
  run: (root) => runTool(root, join(root, 'node_modules/typescript/bin/tsc'), ['-b']),
};
