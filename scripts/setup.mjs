// Brings a checkout to the point where its commands run: Node's version, node_modules, generated code, compiled code.
// Repeats only steps whose inputs changed; otherwise it takes a few hundredths of a second. Reports its steps on
// standard error, because standard output belongs to the command that follows.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './setup/build.mjs';
import { nodeComplaint } from './setup/environment.mjs';
import { ensureInstalled } from './setup/install.mjs';
import { holdLock } from './setup/lock.mjs';

/** Says one line on standard error. */
function say(line) {
  process.stderr.write(`${line}\n`);
}

/**
 * Sets up the checkout at `root`, waiting for another set-up of it to end first. Ends the process, after one line
 * that says what to install, when it cannot.
 * @returns whether the sources compiled without an error
 */
export async function setUp(root) {
  const complaint = nodeComplaint(process.versions.node);
  if (complaint !== null) return fail(complaint);
  const lock = await holdLock(root, say);
  try {
    const failure = await ensureInstalled(root, say);
    if (failure !== null) return fail(failure);
    return await build(root, say);
  } finally {
    lock.release();
  }
}

function fail(line) {
  say(line);
  process.exit(1);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.exitCode = (await setUp(dirname(dirname(process.argv[1])))) ? 0 : 1;
}
