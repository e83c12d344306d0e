import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Check, Finding } from './check.js';

/** Every package compiles. Incremental: output of the set-up is reused. */
export const types: Check = {
  name: 'types',
  title: 'every package compiles',
  run: (root) => runTool(root, 'typescript/bin/tsc', ['-b']),
};

/** Two linters, because only Biome knows which calls return promises without TypeScript's own API. */
export const lint: Check = {
  name: 'lint',
  title: 'oxlint (.oxlintrc.json) and the few rules of Biome that need types (biome.json) are content',
  run: async (root) => [
    ...(await runTool(root, 'oxlint/bin/oxlint', ['--format=unix'])),
    ...(await runTool(root, '@biomejs/biome/bin/biome', ['lint', '--max-diagnostics=200', '--reporter=concise'])),
  ],
};

/** Formatting and the order of imports, as `npm run format` writes them. */
export const format: Check = {
  name: 'format',
  title: 'files are formatted and imports ordered; npm run format does it',
  run: (root) =>
    runTool(root, '@biomejs/biome/bin/biome', [
      'check',
      '--linter-enabled=false',
      '--max-diagnostics=200',
      '--reporter=concise',
    ]),
};

/** Finds files, exports and dependencies that nothing uses, and dependencies that are used but not declared (knip.json). */
export const unused: Check = {
  name: 'unused',
  title: 'knip finds no unused file, export or dependency',
  run: (root) => runTool(root, 'knip/bin/knip.js', ['--reporter=compact', '--no-progress']),
};

/**
 * Runs a script of node_modules with this Node in `root`.
 * @returns nothing when it exits 0, else what it said as one finding
 */
function runTool(root: string, script: string, args: readonly string[]): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    const options = { cwd: root, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [join(root, 'node_modules', script), ...args], options, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim();
      resolve(error === null ? [] : [said === '' ? error.message : said]);
    });
  });
}
