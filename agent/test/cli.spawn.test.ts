import { generateKeyPairSync } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import { rawPublicKey } from '@vantage/shared/protocol/ed25519.js';
import t from 'tap';
import { judgeError } from '../src/commands/judge-error.js';
import { environmentVariables } from '../src/config.js';
import { exitCodes } from '../src/exit-codes.js';
import { saveIdentity } from '../src/identity/identity.js';
import { lockStateDirectory } from '../src/identity/state-directory.js';
import { buildProgram } from '../src/program.js';
import { statusPath } from '../src/status-file.js';
import { AGENT_VERSION } from '../src/version.js';
import { aStatus } from './_support/a-status.js';
import { runCommand } from './_support/cli.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** Characters that control a terminal. */
const CONTROL = /[^\P{Cc}\n]/u;
const commands = [
  'enroll',
  'run',
  'status',
  'health',
  'spool',
  'doctor',
  'check-release',
  'probe',
  'speedtest-server',
] as const;

/** Parses a command line in this process; what it printed, and how it ends when it throws. */
async function parse(args: readonly string[]): Promise<{ printed: string; exit: string }> {
  let printed = '';
  let exit = '';
  const write = (text: string) => {
    printed += text;
  };
  const program = buildProgram((name) => {
    exit = name;
  });
  const all = program.commands.flatMap((command) => [command, ...command.commands]);
  for (const command of [program, ...all]) command.configureOutput({ writeOut: write, writeErr: write });
  await program.parseAsync([...args], { from: 'user' }).catch((error: unknown) => {
    exit = judgeError(error).exit;
  });
  return { printed, exit };
}

t.test('every command’s help is complete: options, environment, exit codes, examples', async (t) => {
  let all = '';
  for (const command of [...commands, 'spool export', 'spool verify']) {
    const { printed, exit } = await parse([...command.split(' '), '--help']);
    t.equal(exit, 'ok', command);
    // one is no node, and keeps nothing; the other is only the head of two commands
    const isPlain = command === 'speedtest-server' || command === 'spool';
    const ofNodes = isPlain ? [] : ['--state-dir', 'Environment:'];
    for (const part of [...ofNodes, 'Exit codes:', 'Examples:']) t.ok(printed.includes(part), `${command}: ${part}`);
    all += printed;
  }
  for (const name of Object.keys(environmentVariables)) t.ok(all.includes(name), name);
  for (const { code, meaning } of Object.values(exitCodes)) t.ok(all.includes(`  ${code}  ${meaning}`), meaning);
});

t.test('the program has the commands it promises, and no others', async (t) => {
  t.same(
    buildProgram(() => undefined).commands.map((command) => command.name()),
    [...commands],
  );
});

t.test('wrong usage is distinguished from failure, and the error is named', async (t) => {
  const cases: { args: string[]; expected: RegExp }[] = [
    { args: ['nonsense'], expected: /unknown command 'nonsense'/ },
    { args: ['run', '--nonsense'], expected: /unknown option '--nonsense'/ },
    { args: ['run', 'surplus'], expected: /too many arguments/ },
    { args: ['enroll'], expected: /required option '--url <url>'/ },
    { args: ['enroll', '--url', 'https://vantage.example', '--asn', 'AS3320'], expected: /must be a number/ },
    { args: ['probe', 'tcp'], expected: /missing required argument 'target'/ },
  ];
  for (const { args, expected } of cases)
    t.match(await parse(args), { exit: 'usage', printed: expected }, args.join(' '));
});

t.test('the installed command has the version of the package, and exits with its codes', async (t) => {
  const path = fileURLToPath(new URL('../../package.json', import.meta.url));
  t.equal(AGENT_VERSION, JSON.parse(readFileSync(path, 'utf8')).version);
  const [version, wrong] = await Promise.all([runCommand(t, ['--version']), runCommand(t, ['nonsense'])]);
  t.same(version, { code: 0, stdout: `${AGENT_VERSION}\n`, stderr: '' });
  t.match(wrong, { code: 2, stdout: '' });
});

t.test('all errors in the environment are reported at once', async (t) => {
  const env = {
    VANTAGE_AGENT_BIND: 'eth0',
    VANTAGE_CHROMIUM: '\u001b[2J\u009b2J',
    VANTAGE_ALLOW_TARGETS: '10.0.0.0/8,10.0.0.0/33',
    VANTAGE_DNS_SERVERS: 'dns.example,9.9.9.9:0,127.1,9.9.9.9,1.1.1.1:5353',
    VANTAGE_LOG_LEVEL: 'loud',
  };
  const { code, stderr } = await runCommand(t, ['status'], { env });
  t.equal(code, 2);
  t.match(stderr, /VANTAGE_AGENT_BIND: "eth0" is not an address/);
  t.match(stderr, /VANTAGE_CHROMIUM: "·\[2J·2J" must be an absolute path/);
  t.notMatch(stderr, CONTROL);
  t.match(stderr, /VANTAGE_ALLOW_TARGETS: "10.0.0.0\/33" is not a CIDR/);
  t.match(stderr, /VANTAGE_LOG_LEVEL: must be one of/);
  t.match(stderr, /VANTAGE_DNS_SERVERS: must be at most 3 addresses/);
  for (const entry of ['dns.example', '9.9.9.9:0', '127.1'])
    t.match(stderr, `VANTAGE_DNS_SERVERS: "${entry}" is not ADDRESS, ADDRESS:PORT or [ADDRESS]:PORT`);
});

t.test('an agent without an identity reports how to get one, and leaves nothing behind', async (t) => {
  const stateDir = t.testdirName;
  const [run, status] = await Promise.all(
    ['run', 'status'].map((command) => runCommand(t, [command, '--state-dir', stateDir])),
  );
  t.match(run, { code: 5, stdout: '', stderr: /run `\S*vantage-agent enroll` first/ });
  t.match(status, { code: 5, stdout: /run `\S*vantage-agent enroll`/ });
  t.throws(() => readFileSync(stateDir), { code: 'ENOENT' });
});

t.test('doctor has a line for each capability, with a remedy for each missing one', async (t) => {
  const { code, stdout } = await runCommand(t, ['doctor', '--json', '--state-dir', t.testdirName]);
  t.equal(code, 1);
  const { checks } = JSON.parse(stdout) as {
    checks: { name: string; status: string; detail: string; remedy: string | null }[];
  };
  t.match(
    checks.map(({ name }) => name),
    [
      'capability icmp',
      'capability icmp_echo',
      'capability browser',
      'state directory',
      'identity',
      'path of the link',
      'clock',
      'time synchronisation',
      'network IPv4',
      'network IPv6',
      'dns',
    ],
  );
  t.match(
    checks.find(({ name }) => name === 'identity'),
    { status: 'failed', remedy: /vantage-agent enroll/ },
  );
  for (const { name, remedy } of checks.filter(({ status }) => status === 'failed')) t.ok(remedy, name);
});

t.test(
  'doctor and status show what the running agent found when it checked itself, without control characters',
  async (t) => {
    const stateDir = temporaryDirectory(t);
    const checks = [
      { name: 'ipv4', status: 'ok', detail: 'tcp://192.0.2.1:443 answers' },
      { name: 'ipv6', status: 'failed', detail: 'tcp://[2001:db8::1]:443: \u009b2J\u001b[2J tcp_timeout' },
    ] as const;
    const at = new Date().toISOString();
    const status = aStatus({ updated_at: at, self_test: { finished_at: at, checks } });
    const lock = lockStateDirectory(stateDir);
    t.teardown(() => lock.release());
    const { publicKey } = generateKeyPairSync('ed25519');
    await saveIdentity(stateDir, {
      nodeId: newId(idPrefixes.node),
      name: null,
      controlUrls: ['https://vantage.example'],
      serverPublicKey: Buffer.from(rawPublicKey(publicKey)).toString('base64'),
      audience: 'https://vantage.example',
      enrolledAt: at,
    });
    writeFileSync(statusPath(stateDir), JSON.stringify(status));
    const reported = await runCommand(t, ['status', '--state-dir', stateDir]);
    t.match(reported.stdout, /^self-test ipv4 +ok: tcp:\/\/192\.0\.2\.1:443 answers$/m);
    t.match(reported.stdout, /^self-test ipv6 +failed: tcp:\/\/\[2001:db8::1\]:443: .* tcp_timeout$/m);
    const { stdout } = await runCommand(t, ['doctor', '--state-dir', stateDir]);
    const [reportedJson, saidJson] = await Promise.all(
      ['status', 'doctor'].map((command) => runCommand(t, [command, '--json', '--state-dir', stateDir])),
    );
    for (const text of [reported.stdout, stdout, reportedJson?.stdout, saidJson?.stdout]) t.notMatch(text, CONTROL);
    t.match(stdout, /^ok {7}self-test ipv4: tcp:\/\/192\.0\.2\.1:443 answers$/m);
    t.match(stdout, /^WARNING {2}self-test ipv6: .*tcp_timeout\n {9}-> check the default route/m);
  },
);
