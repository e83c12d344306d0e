import { execFile } from 'node:child_process';
import type { Finding } from './check.js';

/**
 * Runs a program of node_modules (by its script, with this Node) in `root`.
 * @returns nothing when it exits 0, else what it said as one finding
 */
export function runTool(root: string, script: string, args: readonly string[]): Promise<readonly Finding[]> {
  return new Promise((resolve) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
    const options = { cwd: root, env, maxBuffer: 64 * 1024 * 1024 };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      const said = `${stdout}${stderr}`.trim();
      resolve(error === null ? [] : [said === '' ? error.message : said]);
    });
  });
}
