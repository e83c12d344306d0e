import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { createRequire } from 'node:module';

/** Which Chromium an operator lets pages be loaded by. */
export interface ChromiumWish {
  /** Absolute path; null: the first that is found in the usual places; `none`: none. */
  readonly path: string | null;
  /** Whether it must shut its own processes in; without, whoever breaks out of a page is a user of this machine. */
  readonly hasSandbox: boolean;
}

/** A Chromium that can be started. */
export interface UsableChromium {
  readonly path: string;
  readonly hasSandbox: boolean;
  /** What starts it: as nobody where the agent is root, and ended by the kernel when whoever started it ends. */
  readonly prefix: readonly string[];
}

/** Why there is none, and what would mend it. */
export interface ChromiumLack {
  readonly reason: string;
  readonly remedy: string;
}

/** Whose rights pages get where the agent is root. */
export const NOBODY = 65_534;
export const defaultChromiumWish: ChromiumWish = { path: null, hasSandbox: true };
const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable'];

/** Looks for a Chromium, and whether its sandbox can work: that takes namespaces of users. Starts none. */
export function findChromium({ path, hasSandbox }: ChromiumWish): UsableChromium | ChromiumLack {
  if (path === 'none') return { reason: 'switched off', remedy: 'unset VANTAGE_CHROMIUM' };
  const found = (path === null ? usualPaths : [path]).find(isExecutable);
  if (found === undefined)
    return {
      reason: path === null ? 'no Chromium is installed' : `"${path}" is no program`,
      remedy: 'apt-get install chromium',
    };
  if (!hasPlaywright()) return { reason: 'playwright-core is not installed', remedy: 'npm install playwright-core' };
  const rights = process.getuid?.() === 0 ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  // a unit may have given the agent rights that outlive exec: raw sockets would lead past the proxy
  const prefix = ['setpriv', ...rights, '--inh-caps=-all', '--ambient-caps=-all', '--pdeathsig=KILL'];
  if (!works([...prefix, 'true']))
    return { reason: 'setpriv does not work here', remedy: 'apt-get install util-linux' };
  if (hasSandbox && !works([...prefix, 'unshare', '--user', 'true']))
    return {
      reason: 'its sandbox needs user namespaces, which this system does not permit',
      remedy: 'sysctl kernel.unprivileged_userns_clone=1, or RestrictNamespaces=no in the unit',
    };
  return { path: found, hasSandbox, prefix };
}

/** Null where the agent may use it. */
export function isUsable(found: UsableChromium | ChromiumLack): found is UsableChromium {
  return 'path' in found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** It is an optional dependency, and only page processes load it. */
function hasPlaywright(): boolean {
  try {
    return createRequire(import.meta.url).resolve('playwright-core') !== '';
  } catch {
    return false;
  }
}

function works([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: 2000 }).status === 0;
}
