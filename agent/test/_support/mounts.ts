import { spawnSync } from 'node:child_process';

/** Why no file system can be mounted here, for a test's `skip`; false where it can, and under CI, where nothing is skipped. */
export function missingForMounts(): string | false {
  if (process.env['CI'] === 'true') return false;
  const mayMount = process.getuid?.() === 0 && spawnSync('unshare', ['--mount', 'true']).status === 0;
  return mayMount ? false : 'needs root, and permission to mount a file system';
}
