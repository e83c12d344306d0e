import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { isExecutable } from '@vantage/shared/executable.js';

/** Chromium that the operator allows for loading pages. */
export interface ChromiumWish {
  /** Absolute path; null for the first that is found in the usual places; `none`: none. */
  readonly path: string | null;
  /**
   * True if Chromium must sandbox its own processes; without a sandbox, code that escapes from a page runs as a user
   * of this machine.
   */
  readonly hasSandbox: boolean;
}

/** A Chromium that can be started. */
export interface UsableChromium {
  readonly path: string;
  readonly hasSandbox: boolean;
  /**
   * Command prefix that runs it as user nobody if the agent is root, and lets the kernel end it when its parent ends.
   */
  readonly prefix: readonly string[];
}

/** Reason why there is none, and the remedy. */
export interface ChromiumLack {
  readonly reason: string;
  readonly remedy: string;
}

/** User id that page processes get where the agent is root. */
export const NOBODY = 65_534;
export const defaultChromiumWish: ChromiumWish = { path: null, hasSandbox: true };
const usualPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome-stable'];

/** Searches for a Chromium, and checks if its sandbox can work, which needs user namespaces. Starts none. */
export function findChromium({ path, hasSandbox }: ChromiumWish): UsableChromium | ChromiumLack {
  if (path === 'none') return { reason: 'disabled', remedy: 'unset VANTAGE_CHROMIUM' };
  const found = (path === null ? usualPaths : [path]).find(isExecutable);
  if (found === undefined)
    return {
      reason: path === null ? 'no Chromium is installed' : `"${path}" is not a program`,
      remedy: 'apt-get install chromium',
    };
  if (!hasPlaywright()) return { reason: 'playwright-core is not installed', remedy: 'npm install playwright-core' };
  const rights = process.getuid?.() === 0 ? [`--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups'] : [];
  // a unit may have given the agent capabilities that survive exec: raw sockets would bypass the proxy
  const prefix = ['setpriv', ...rights, '--inh-caps=-all', '--ambient-caps=-all', '--pdeathsig=KILL'];
  if (!works([...prefix, 'true']))
    return { reason: 'setsid or setpriv does not work on this system', remedy: 'apt-get install util-linux' };
  if (hasSandbox && !works([...prefix, 'unshare', '--user', 'true']))
    return {
      reason: 'its sandbox needs user namespaces, which this system does not permit',
      remedy: 'sysctl kernel.unprivileged_userns_clone=1, or RestrictNamespaces=no in the unit',
    };
  return { path: found, hasSandbox, prefix };
}

/** True if the agent may use it. */
export function isUsable(found: UsableChromium | ChromiumLack): found is UsableChromium {
  return 'path' in found;
}

/** True if playwright is installed: an optional dependency that only page processes load. */
function hasPlaywright(): boolean {
  try {
    return createRequire(import.meta.url).resolve('playwright-core') !== '';
  } catch {
    return false;
  }
}

/** True if a command works. Other processes of its user, who may be a lesser one, get neither the agent's terminal nor its settings from it. */
export function works(command: readonly string[]): boolean {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' };
  return spawnSync('setsid', ['--wait', ...command], { env, stdio: 'ignore', timeout: 10_000 }).status === 0;
}
