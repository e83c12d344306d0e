import t from 'tap';
import { readProgramUse } from './started-programs.js';

const known = new Set(['ip', 'nft', 'ping', 'dig', 'curl', 'openssl', 'nginx', 'python3', 'traceroute']);
const read = (text: string) => readProgramUse({ path: 'agent/test/a.test.ts', text }, known);
const started = (text: string) =>
  read(text)
    .started.map(({ program }) => program)
    .sort();

t.test('a program is found wherever a file starts it', async (t) => {
  const cases: readonly (readonly [text: string, ...programs: string[]])[] = [
    ["spawn('nginx', ['-c', file]);", 'nginx'],
    ["const PROGRAM: string = '/usr/bin/dig';\nexecFileSync(PROGRAM, ['a']);", 'dig'],
    ["const run = promisify(execFile);\nawait run('curl', [url]);", 'curl'],
    ["(await promisify(execFile)('curl', ['-fsS', ...args])).stdout", 'curl'],
    ["exec('openssl x509 | grep a')", 'openssl', 'grep'],
    ["spawn(isOld ? 'ping' : 'traceroute', [])", 'ping', 'traceroute'],
    ["import { run } from '../namespaces.js';\nrun('ip', ['netns', 'exec', name, 'nft', '-f', '-']);", 'ip', 'nft'],
    ["lab.exec('agent', 'ping', '-c1', target);", 'ping'],
    ["lab.spawn('far', ['python3', '-c', source]);", 'python3'],
    [
      "void t.spawn('unshare', ['--net', 'sh', '-ec', network]);\nconst network = `ip link set ${x} up`;",
      'unshare',
      'ip',
    ],
    ["await startDaemon(options, { command: ['nginx', '-g', 'x'], isReady });", 'nginx'],
    [
      "const isolated = ['unshare', '--net', '--', 'sh', '-c', 'ip link set lo up; exec \"$@\"', 'sh'];",
      'unshare',
      'ip',
    ],
    ["const words = ['setsid', '-w', 'nginx'];\nspawn('env', [...words, '-g', 'x']);", 'env', 'nginx', 'setsid'],
    ["spawn('sh', ['-c', hosts.map((host) => `ping -c1 ${host} &`).join(' ')]);", 'ping'],
    [
      "const ask = (c: string) => lab.exec('a', 'sh', '-c', `(${c}) || true`);\nt.match(await ask('dig a.test'), /x/);",
      'dig',
    ],
  ];
  for (const [text, ...programs] of cases) {
    const found = started(text).filter((program) => program !== 'sh');
    t.strictSame(found, [...programs].sort(), text);
  }
});

t.test('code that only looks like a start is not counted', async (t) => {
  for (const text of [
    "t.test('ping counts what the links did', async (t) => t.ok(1));",
    "lab.exec('a', 'sh', '-c', given);\nt.test('ping works here', async () => {});",
    '/ping (\\d+)/.exec(text);',
    "pattern.exec('ping a');",
    "run(t, 'ping', 'example.com');",
    "const types = ['ping', 'dig'];",
    'spawn(process.execPath, [script]);',
    'spawn(`${directory}/ping`, []);',
    "const codes = ['timeout', 'refused'];",
  ])
    t.strictSame(
      started(text).filter((program) => program !== 'sh'),
      [],
      text,
    );
});

t.test('a start is reported with its line', async (t) => {
  t.strictSame(read("\n\nspawn('nginx');").started, [{ program: 'nginx', line: 3 }]);
});

t.test('a declaration is whatever names programs for the functions that declare them', async (t) => {
  const declared = (text: string) => [...read(text).declared].sort();
  t.strictSame(declared("const skip = missing('nginx', 'permission to mount');"), ['nginx', 'permission to mount']);
  t.strictSame(declared("skipFileWithout('openssl');\ndemand('dig');"), ['dig', 'openssl']);
  t.strictSame(declared("await missingForLab({ servers: ['dns'], programs: ['ping'] })"), ['dns', 'ping']);
  t.strictSame(declared("export const dns = { summary: 'ping', programs: ['dig', 'nft'] };"), ['dig', 'nft']);
  t.strictSame(declared("const names = ['nginx', 'haproxy'];\nfor (const name of names) missing(name);"), [
    'haproxy',
    'nginx',
  ]);
  t.strictSame(declared("notMissing('nginx');"), []);
});

t.test('a file that does not parse is reported, not skipped', async (t) => {
  t.throws(() => read('spawn('), /^agent\/test\/a\.test\.ts: /);
});
