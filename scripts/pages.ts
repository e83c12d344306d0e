import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeDemoPictures } from './pages/demo-pictures.js';

const root = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));
const TEST = 'control-plane/test/page-looks.long.test.ts';

/** Pictures of README.md that the test takes, too. */
const DOCUMENTED = ['start-page.png', 'probe-page.png'];

/**
 * `npm run pages`: pictures of every page in each language, theme and width, contact sheets of them, and those of README.md in
 * docs/images; `npm run pages -- demo`: the pictures of the demo there. @returns the exit code
 */
export async function main(args: readonly string[]): Promise<number> {
  if (args.length === 1 && args[0] === 'demo') return takeDemoPictures(root);
  if (args.length > 0) {
    process.stderr.write('usage: npm run pages [-- demo]\n');
    return 2;
  }
  const directory = path.join(root, 'pictures');
  process.stdout.write(`takes pictures of every page, and puts them into ${directory}: begin with sheet-en-1.png\n`);
  const env = { ...process.env, VANTAGE_TEST_PICTURES: directory };
  const { status } = spawnSync(process.execPath, ['scripts/run.mjs', 'test', TEST], {
    cwd: root,
    env,
    stdio: 'inherit',
  });
  if (status !== 0) return status ?? 1;
  for (const name of DOCUMENTED) copyFileSync(path.join(directory, name), path.join(root, 'docs', 'images', name));
  return 0;
}
