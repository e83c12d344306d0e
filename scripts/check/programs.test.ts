import t from 'tap';
import { findCiPackages } from './programs/ci-packages.js';
import { ProgramTree } from './programs/program-tree.js';
import { testPackageRows } from './programs/test-packages.js';
import { judgeCiPackages } from './programs.js';

const judge = (files: Readonly<Record<string, string>>) =>
  new ProgramTree(Object.entries(files).map(([path, text]) => ({ path, text }))).judge();
const spawnCurl = "spawn('curl', [url]);";

t.test('a program that no declaration covers is a finding, with what to write', async (t) => {
  t.strictSame(judge({ 'agent/test/a.test.ts': `\n${spawnCurl}` }), [
    `agent/test/a.test.ts:2: starts "curl" and does not declare it: missing('curl') for a test's skip, demand('curl') elsewhere`,
  ]);
  t.match(judge({ 'scripts/bench/a.ts': spawnCurl }), [/^scripts\/bench\/a\.ts:1: starts "curl"/]);
  t.match(judge({ 'scripts/setup/a.mjs': "execFile('aria2c', [])" }), [
    /a\.mjs:1: starts "aria2c", which shared\/src\/_support\/external-programs\.ts does not name$/,
  ]);
  t.strictSame(judge({ 'agent/test/a.test.ts': `const skip = missing('curl');\n${spawnCurl}` }), []);
});

t.test('a test declares what its support starts; what is on every machine needs no declaration', async (t) => {
  const support = { 'agent/test/_support/b.ts': `demand('curl');\n${spawnCurl}` };
  const test = (text: string) => judge({ ...support, 'agent/test/a.test.ts': text });
  t.match(test("import { b } from './_support/b.js';"), [/^agent\/test\/a\.test\.ts: starts, in .*\/b\.ts:2, "curl"/]);
  t.strictSame(test("import { b } from './_support/b.js';\nskipFileWithout('curl');"), []);
  t.strictSame(test("import type { B } from './_support/b.js';"), []);
  t.strictSame(judge({ 'agent/test/c.test.ts': "spawn('python3', []); spawn('sh', ['-c', 'mount x; sleep 1'])" }), []);
});

t.test('in the lab, what every lab is made with is declared, and a server by the index of its folder', async (t) => {
  t.strictSame(judge({ 'scripts/lab/a.ts': "lab.exec('far', 'ip', 'link');" }), []);
  t.match(judge({ 'scripts/lab/a.ts': "lab.exec('far', 'nft', 'list');" }), [/starts "nft"/]);
  const knot = { 'scripts/lab/servers/dns/knot.ts': "start({ command: ['knotd', '-c'] });" };
  t.match(judge(knot), [/starts "knotd"/]);
  t.strictSame(judge({ ...knot, 'scripts/lab/servers/dns/index.ts': "const a = { programs: ['knotd'] };" }), []);
});

t.test('what the products start is what docs/settings.md names', async (t) => {
  t.strictSame(judge({ 'control-plane/src/db/a.ts': "spawn('flock', []);" }), []);
  t.match(judge({ 'control-plane/src/db/a.ts': "demand('curl');\nspawn('curl', []);" }), [
    /a\.ts:2: starts "curl", which scripts\/check\/programs\/product-programs\.ts does not name$/,
  ]);
});

t.test('continuous integration installs what is declared, no less and no more', async (t) => {
  const script = '#!/bin/bash\npackages=(python3 make\n  g++ curl)\nmissing=()\n';
  t.strictSame(findCiPackages(script), ['python3', 'make', 'g++', 'curl']);
  t.throws(() => findCiPackages('packages=""'), /no list/);
  t.strictSame(judgeCiPackages(['python3', 'make', 'g++', 'curl'], ['curl', 'util-linux']), []);
  t.strictSame(judgeCiPackages(['python3', 'make', 'nmap'], ['curl']), [
    '.ci/run: does not install "g++", which a test needs',
    '.ci/run: does not install "curl", which a test needs',
    '.ci/run: installs "nmap", which no test needs',
  ]);
});

t.test('CONTRIBUTING.md states for every package what is skipped without it', async (t) => {
  t.match(testPackageRows(['make', 'iproute2']), [['iproute2', 'ip, ss', /network/]]);
  t.throws(() => testPackageRows(['nmap']), /does not say what is tested with "nmap"/);
});

t.test('the test files that start what is not on every machine are known, by their support too', async (t) => {
  const files = {
    'agent/test/_support/b.ts': "export const noBrowser = missing('chromium');",
    'agent/test/a.test.ts': "import { noBrowser } from './_support/b.js';",
    'agent/test/c.test.ts': "spawn('sh', ['-c', 'true']);",
    'agent/test/d.long.test.ts': "const skip = missing('curl');",
  };
  const tree = new ProgramTree(Object.entries(files).map(([path, text]) => ({ path, text })));
  t.strictSame(tree.testFiles(), ['agent/test/a.test.ts', 'agent/test/d.long.test.ts']);
});
