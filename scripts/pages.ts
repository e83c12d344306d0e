import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeDemoPictures } from './pages/demo-pictures.js';

const root = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));
const TEST = 'control-plane/test/page-looks.long.test.ts';

/**
 * `npm run pages`: pictures of every page in each language, theme and width, and contact sheets of them; `npm run pages -- demo`: the
 * pictures of the demo in docs/images. @returns the exit code
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
  return status ?? 1;
}
