// Properties of the machine: decisions from values, so that a test can simulate another machine.
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const oldestNode = [20, 20];
const firstUntriedMajor = 25;

/** Why this version of Node will not do, in one line; null when it will. */
export function nodeComplaint(version) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOldEnough = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  if (isOldEnough && major < firstUntriedMajor) return null;
  return `Node ${version} will not do: install Node 20 (20.20 or later), 22 or 24 from https://nodejs.org`;
}

/** What a native build lacks on a machine with these directories in PATH, in one line; null when nothing. */
export function compilerComplaint(env) {
  const missing = [];
  if (!isInPath('python3', env)) missing.push('python3');
  if (!isInPath('make', env)) missing.push('make');
  if (env.CXX === undefined && !isInPath('g++', env) && !isInPath('c++', env)) missing.push('a C++ compiler');
  if (missing.length === 0) return null;
  return `missing ${missing.join(', ')}: two native modules are compiled on this machine; apt-get install -y python3 make g++`;
}

function isInPath(program, env) {
  return (env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return folder !== '';
    } catch {
      return false;
    }
  });
}

/** The prefix of the running Node when its headers lie next to it (official archives and packages); null otherwise. */
export function headersPrefix(execPath) {
  const prefix = dirname(dirname(realpathSync(execPath)));
  return existsSync(join(prefix, 'include', 'node', 'node_version.h')) ? prefix : null;
}

/** Whether npm can keep its cache under HOME. */
export function isHomeUsable(home) {
  if (home === undefined || home === '') return false;
  try {
    accessSync(home, constants.W_OK);
    return statSync(home).isDirectory();
  } catch {
    return false;
  }
}

/**
 * The environment for npm: nothing in it depends on a user's npm configuration or on a home directory.
 * `cache` is the folder used in place of HOME.
 */
export function installEnvironment(env, cache, prefix) {
  const own = {
    // Compile from the locked source instead of fetching a binary that no lockfile covers from a host that may not answer.
    npm_config_build_from_source: 'true',
    MAKEFLAGS: env.MAKEFLAGS ?? '-j2',
    SCARF_ANALYTICS: 'false',
  };
  if (prefix !== null) own.npm_config_nodedir = prefix;
  if (!isHomeUsable(env.HOME))
    Object.assign(own, { npm_config_cache: join(cache, 'npm'), npm_config_devdir: join(cache, 'node-gyp') });
  return { ...env, ...own };
}
