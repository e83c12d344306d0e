import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { terminalSvg } from './terminal-svg.js';

const COLUMNS = 80;
const ROWS = 24;
const COMMAND = 'npm run demo -- --once';

/** Runs the demo as on a terminal of 80 x 24, and writes pictures of its first tables and its last part. @returns the exit code */
export async function takeDemoPictures(root: string): Promise<number> {
  const directory = path.join(root, 'docs', 'images');
  process.stdout.write(`runs the demo, and puts its first tables and its last part into ${directory}\n`);
  const env = { ...process.env, COLUMNS: `${COLUMNS}`, FORCE_COLOR: '1' };
  const { status, stdout } = spawnSync(process.execPath, ['scripts/run.mjs', 'demo', '--once'], {
    cwd: root,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) return status ?? 1;
  const lines = [`$ ${COMMAND}`, ...stdout.trimEnd().split('\n')];
  const screens = {
    'demo-probes': lines.slice(0, lines.lastIndexOf('', ROWS)),
    'demo-monitors': lines.slice(lines.lastIndexOf('') + 1),
  };
  for (const [name, shown] of Object.entries(screens)) {
    await writeFile(path.join(directory, `${name}.svg`), terminalSvg(shown, COLUMNS));
  }
  return 0;
}
