// Builds the ICMP addon into dist/icmp_socket.node unless it is there already, made from the same sources. Runs with every
// npm ci (the agent's install script) and every build. It never fails either: without the addon the agent measures with
// the npm package raw-socket, a little less precisely.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(fileURLToPath(import.meta.url));
const addon = join(folder, 'dist', 'icmp_socket.node');
const stamp = join(folder, 'dist', '.stamp');

function sourceKey() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const name of [
    'binding.gyp',
    ...readdirSync(join(folder, 'src'))
      .map((file) => join('src', file))
      .sort(),
  ])
    hash.update(`\n${name}\n`).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
}

function loads(file) {
  try {
    createRequire(import.meta.url)(file);
    return true;
  } catch {
    return false;
  }
}

const prefix = dirname(dirname(realpathSync(process.execPath)));

/** The node-gyp of the npm that started this, or else of the npm next to this Node, or else of PATH. */
function nodeGyp() {
  const files = [
    process.env.npm_config_node_gyp,
    join(prefix, 'lib', 'node_modules', 'npm', 'node_modules', 'node-gyp', 'bin', 'node-gyp.js'),
  ];
  const file = files.find((path) => path !== undefined && existsSync(path));
  return file === undefined ? ['node-gyp'] : [process.execPath, file];
}

/** Where the running Node's headers lie next to it nothing is downloaded, whatever npm's configuration says. */
function headersOption() {
  return existsSync(join(prefix, 'include', 'node', 'node_api.h')) ? [`--nodedir=${prefix}`] : [];
}

/** @returns why there is no addon, in one line; null when there is one */
function build() {
  if (process.platform !== 'linux') return 'it is for Linux only';
  const [command, ...args] = nodeGyp();
  const { status, error, stdout, stderr } = spawnSync(command, [...args, 'rebuild', ...headersOption()], {
    cwd: folder,
    encoding: 'utf8',
  });
  if (error !== undefined) return error.message;
  const output = `${stdout}${stderr}`;
  if (status !== 0) return (/\S*\berror: .*|(?<=ERR! stack Error: ).*/.exec(output) ?? [`exit code ${status}`])[0];
  if (/\bwarning:/.test(output)) process.stderr.write(output);
  const built = join(folder, 'build', 'Release', 'icmp_socket.node');
  if (!loads(built)) return 'it does not load';
  mkdirSync(dirname(addon), { recursive: true });
  // a process that has the old one loaded keeps its file
  renameSync(built, addon);
  return null;
}

const key = sourceKey();
if (!(existsSync(stamp) && readFileSync(stamp, 'utf8') === key && loads(addon))) {
  rmSync(addon, { force: true });
  const failure = build();
  rmSync(join(folder, 'build'), { recursive: true, force: true });
  if (failure === null) writeFileSync(stamp, key);
  else process.stderr.write(`the ICMP addon is not built, pings use raw-socket: ${failure}\n`);
}
