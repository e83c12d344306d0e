// Compiles proto/link.proto to shared/generated/link.{js,d.ts}. Generated files are never edited and never committed.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const cli = join(root, 'node_modules', 'protobufjs-cli', 'bin');

/** Writes the protocol's JavaScript and declarations into `folder`. */
export function generateProtocol(folder) {
  mkdirSync(folder, { recursive: true });
  const js = join(folder, 'link.js');
  const run = (tool, args) =>
    execFileSync(process.execPath, [join(cli, tool), ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  run('pbjs', [
    '-t',
    'static-module',
    '-w',
    'es6',
    '--force-number',
    '--no-create',
    '--no-verify',
    '--no-delimited',
    '--no-service',
    '-o',
    js,
    'proto/link.proto',
  ]);
  run('pbts', ['--no-comments', '-o', join(folder, 'link.d.ts'), js]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) generateProtocol(join(root, 'shared', 'generated'));
