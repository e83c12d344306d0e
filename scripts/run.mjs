// npm run COMMAND: sets the project up when needed, then runs scripts/dist/COMMAND.js in this very process, so that
// signals, standard streams and the exit code need no forwarding. Dependency-free: it runs before anything is installed.
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { setUp } from './setup.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const commands = [
  'demo',
  'test',
  'check',
  'bench',
  'lab',
  'nemesis',
  'simulate',
  'pages',
  'fuzz',
  'release',
  'build',
  'format',
];
/** Commands whose work goes on when the sources do not compile: `check` reports it, `format` does not care. */
const despiteTypeErrors = new Set(['check', 'format']);

/** The compiled module of a command: `dist/NAME.js` or `dist/NAME/index.js`. */
function commandFile(name) {
  const dist = join(root, 'scripts', 'dist');
  return [join(dist, `${name}.js`), join(dist, name, 'index.js')].find((file) => existsSync(file));
}

/**
 * npm killed with SIGKILL cannot notify its child. A command that lost its npm ends as if by SIGTERM, so that nothing
 * it started stays behind.
 */
function endWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const line = starterLine();
  setInterval(() => starterLine() === line || process.kill(process.pid, 'SIGTERM'), 250).unref();
}

/** The processes from here up to npm, which may stand behind a shell; changes when one of them is gone. */
function starterLine() {
  const parent = process.ppid;
  return isShell(parent) ? `${parent} ${parentOf(parent)}` : `${parent}`;
}

function isShell(pid) {
  return /^(?:\S*\/)?(?:ba|da)?sh\0-c\0/.test(readProc(pid, 'cmdline'));
}

/** proc(5): after the parenthesised name come state and parent. */
function parentOf(pid) {
  const stat = readProc(pid, 'stat');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
}

function readProc(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return '';
  }
}

/** Debian keeps programs of root apart; an ordinary user's PATH, and that of `su`, lacks their folders. */
function lookForRootsPrograms() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const lacking = ['/usr/sbin', '/sbin'].filter((folder) => !folders.includes(folder));
  process.env.PATH = [...folders, ...lacking].filter((folder) => folder !== '').join(delimiter);
}

/** @returns the exit code */
async function run(command, args) {
  if (!commands.includes(command)) {
    process.stderr.write(`unknown command "${command}": one of ${commands.join(', ')}\n`);
    return 2;
  }
  endWithNpm();
  lookForRootsPrograms();
  const isBuilt = await setUp(root);
  if (command === 'build') return isBuilt ? 0 : 1;
  if (!isBuilt && !mayGoOn(command)) return 1;
  const { main } = await import(pathToFileURL(commandFile(command)).href);
  return main(args);
}

/** People may test one part while another does not compile; a CI run may not. */
function mayGoOn(command) {
  return despiteTypeErrors.has(command) || (command === 'test' && process.env.CI !== 'true');
}

// npm passes on everything after `--`; a second one (npm run demo -- -- --json) is harmless.
const [command, ...args] = process.argv.slice(2).filter((arg) => arg !== '--');
process.exitCode = await run(command, args);
