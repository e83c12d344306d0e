// Generated and compiled code, rebuilt only when a source changed.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateProtocol } from '../generate-protocol.mjs';
import { bundlePrograms } from './bundle.mjs';
import { bundleConsole } from './console.mjs';
import { elapsed, runStep } from './step.mjs';

const packages = ['shared', 'agent', 'control-plane', 'scripts'];
const derived = new Set(['dist', 'node_modules', 'generated']);

/**
 * Compiles what changed and bundles the programs; complaints go to `say`.
 * @returns whether there was none
 */
export async function build(root, say) {
  const stamp = join(root, '.cache', 'build-stamp');
  const key = sourceKey(root);
  if (isUnchanged(stamp, key) && packages.every((name) => existsSync(join(root, name, 'dist', '.tsbuildinfo'))))
    return true;
  const startedAt = Date.now();
  generateWhenChanged(root, say);
  await buildAddon(root, say);
  for (const name of packages) removeStale(join(root, name), '');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const pretty = process.stderr.isTTY ? ['--pretty'] : [];
  const { isOk, output } = await runStep(process.execPath, [tsc, '-b', ...pretty], { cwd: root, env: process.env });
  if (!isOk) {
    say(`${output.trimEnd()}\nset-up: the sources do not compile (${elapsed(startedAt)})`);
    return false;
  }
  const complaint = (await bundlePrograms(root)) || (await bundleConsole(root));
  if (complaint !== '') {
    say(`${complaint}\nset-up: the programs can't be bundled`);
    return false;
  }
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stamp, key);
  say(`set-up: built in ${elapsed(startedAt)}`);
  return true;
}

function isUnchanged(stamp, key) {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === key;
}

/** Changes whenever a source file appears, goes or is written (its size and time of change, not its content). */
export function sourceKey(root) {
  const hash = createHash('sha256').update(process.version);
  const add = (path) => {
    const { size, mtimeMs } = statSync(join(root, path));
    hash.update(`${path} ${size} ${mtimeMs}\n`);
  };
  for (const path of ['tsconfig.base.json', 'tsconfig.json', 'package-lock.json']) add(path);
  for (const folder of ['proto', ...packages]) {
    for (const path of listFiles(root, folder)) if (/\.(tsx?|css|html|proto|mjs|json|[ch]|gyp)$/.test(path)) add(path);
  }
  return hash.digest('hex');
}

function* listFiles(root, folder) {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isFile()) yield path;
    else if (entry.isDirectory() && !derived.has(entry.name)) yield* listFiles(root, path);
  }
}

/** Generates the protocol's code unless it is there, made from the same definition by the same generator. */
function generateWhenChanged(root, say) {
  const folder = join(root, 'shared', 'generated');
  const stamp = join(folder, '.stamp');
  const sources = ['proto/link.proto', 'scripts/generate-protocol.mjs', 'node_modules/protobufjs-cli/package.json'];
  const hash = createHash('sha256');
  for (const path of sources) hash.update(readFileSync(join(root, path)));
  const key = hash.digest('hex');
  const isThere = ['link.js', 'link.d.ts'].every((name) => existsSync(join(folder, name)));
  if (isThere && isUnchanged(stamp, key)) return;
  say('set-up: generating the protocol code from proto/link.proto');
  generateProtocol(folder);
  writeFileSync(stamp, key);
}

/** The agent's addon, when its sources changed since `npm ci`; the agent runs without it too. */
async function buildAddon(root, say) {
  const script = join(root, 'agent', 'native', 'build.mjs');
  if (!existsSync(script)) return;
  const { output } = await runStep(process.execPath, [script], { cwd: root, env: process.env });
  if (output !== '') say(output.trimEnd());
}

/** Deletes compiled files whose source is gone: a deleted test must not run on. */
function removeStale(folder, path) {
  const dist = join(folder, 'dist', path);
  if (!existsSync(dist)) return;
  for (const entry of readdirSync(dist, { withFileTypes: true })) {
    const name = join(path, entry.name);
    if (name === 'program') continue;
    if (entry.isDirectory()) {
      removeStale(folder, name);
      continue;
    }
    const source = name.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts');
    if (source !== name && !existsSync(join(folder, source))) rmSync(join(dist, entry.name));
  }
}
