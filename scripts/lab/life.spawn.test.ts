import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { missingForLab } from './_support/missing-for-lab.js';
import { startLab } from './lab.js';
import { type LabMap, mapText } from './map.js';
import { addNamespace, namespaceOf, removeNamespace } from './namespaces.js';

const program = `import(${JSON.stringify(new URL('./index.js', import.meta.url).href)})
  .then(({ main }) => main(process.argv.slice(1))).then((code) => { process.exitCode = code })`;
const skip = await missingForLab({ programs: ['ping', 'traceroute'] });

function start(t: Test, ...args: string[]): ChildProcess {
  const child = spawn(process.execPath, ['-e', program, '--', ...args], { stdio: ['pipe', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

function run(t: Test, ...args: string[]): ReturnType<typeof endOf> {
  return endOf(start(t, ...args));
}

async function endOf(
  child: ChildProcess,
  typed = '',
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  child.stdin?.end(typed);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([read(child.stdout), read(child.stderr)]);
  return { code: await code, stdout, stderr };
}

function read(stream: NodeJS.ReadableStream | null): Promise<string> {
  return stream === null ? Promise.resolve('') : text(stream);
}

/** Starts `lab up` and waits until it says how to end it. */
async function startUp(t: Test, name: string): Promise<ChildProcess> {
  const child = start(t, 'up', '--only', 'none', '--name', name);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += String(chunk);
  });
  child.stdout?.resume();
  await until('the lab is up', () => {
    if (child.exitCode !== null) throw new Error(said);
    return said.includes('Ctrl-C stops the lab');
  });
  return child;
}

/** Namespaces, files and processes that carry a lab's name. */
function traces(name: string): string[] {
  const files = ['/run/netns', '/etc/netns', '/run/vantage-lab'].flatMap((directory) =>
    (existsSync(directory) ? readdirSync(directory) : []).map((entry) => `${directory}/${entry}`),
  );
  const processes = readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => commandLine(pid))
    .filter((line) => line.includes('vlab-'));
  return [...files, ...processes].filter((trace) => trace.includes(name));
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}

t.test('nothing of a lab is left after stop, and two stand side by side', { skip }, async (t) => {
  const name = `s${process.pid}`;
  const [first, second] = await Promise.all([
    startLab({ name: `${name}-a`, ecmp: true }),
    startLab({ name: `${name}-b` }),
  ]);
  first.spawn('far', ['sleep', '1000'], { stdio: 'ignore' });
  await Promise.all([
    first.exec('agent', 'ping', '-c1', '25.80.4.2'),
    second.exec('agent', 'ping', '-c1', '25.80.4.2'),
  ]);
  t.not(traces(name).length, 0, 'it can be seen while it is there');
  await t.rejects(startLab({ name: `${name}-a` }), /is already running, as process \d+/);
  await first.stop();
  t.strictSame(traces(`${name}-a`), []);
  await second.exec('agent', 'ping', '-c1', '25.80.4.2');
  await second.stop();
  t.strictSame(traces(name), []);
});

t.test('flows of different ports take both roads of an ecmp lab, and each stays on its own', { skip }, async (t) => {
  const lab = await startLab({ ecmp: true });
  t.teardown(() => lab.stop());
  const secondHop = async (port: number) => {
    // the wait for a reply ends with the reply: a busy machine may take seconds for sixteen of them
    const options = ['-n', '-q1', '-w60', '-f2', '-m2', '-U', '-p', String(port), `--sport=${port}`];
    const line = (await lab.exec('agent', 'traceroute', ...options, '25.80.4.2')).split('\n')[1] ?? '';
    return /25\.80\.\d\.2/.exec(line)?.[0];
  };
  const ports = Array.from({ length: 16 }, (_, index) => 33434 + index);
  const first = await Promise.all(ports.map(secondHop));
  t.strictSame([...new Set(first)].sort(), ['25.80.2.2', '25.80.5.2']);
  t.strictSame(await Promise.all(ports.map(secondHop)), first);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  t.test(`nothing of a lab is left when ${signal} ends it`, { skip }, async (t) => {
    const name = `${signal.toLowerCase()}${process.pid}`;
    const child = await startUp(t, name);
    const ended = new Promise((resolve) => child.once('exit', (code, by) => resolve(by ?? code)));
    child.kill(signal);
    t.equal(await ended, signal);
    t.strictSame(traces(name), []);
  });
}

t.test('what a killed lab leaves, `lab down` removes, and its processes are gone without', { skip }, async (t) => {
  const name = `kill${process.pid}`;
  const child = await startUp(t, name);
  child.kill('SIGKILL');
  await until('its processes have ended', () => traces(name).every((trace) => trace.startsWith('/')));
  t.not(traces(name).length, 0);
  t.match(await run(t, 'down', '--name', name), { code: 0, stdout: new RegExp(`^removed .*${name}`) });
  t.strictSame(traces(name), []);
  t.match(await run(t, 'down', '--name', name), { code: 0, stdout: 'nothing to remove\n' });
});

t.test('two who remove what a lab left do not fail of each other', { skip }, async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const name = namespaceOf(`twice${process.pid}`, 'r1');
    await addNamespace(name, []);
    await Promise.all([removeNamespace(name), removeNamespace(name), removeNamespace(name)]);
    t.notOk(existsSync(`/run/netns/${name}`));
  }
});

t.test('a lab is changed, read and entered from another process', { skip }, async (t) => {
  const name = `cli${process.pid}`;
  const lab = await startLab({ name });
  t.teardown(() => lab.stop());
  const changed = await run(t, 'link', '2', '--name', name, '--delay', '20', '--loss', '0.25', '--direction', 'back');
  t.match(changed, { code: 0, stdout: /2 +back +20 ms, loses 0.25 / });
  t.match((await lab.link(2, 'back')).settings, { delayMs: 20, lossRatio: 0.25, jitterMs: 0 });
  t.match((await lab.link(2, 'forth')).settings, { delayMs: 0 });
  const status = await run(t, 'status', '--json', '--name', name);
  t.strictSame(JSON.parse(status.stdout).links, await lab.links());
  const map: LabMap = JSON.parse((await run(t, 'map', '--json', '--name', name)).stdout);
  t.equal((await run(t, 'map', '--name', name)).stdout, mapText(map));
  const { links, hosts } = map;
  t.strictSame(hosts, ['agent', 'r1', 'r2', 'r3', 'far']);
  t.match(links[3], {
    number: 4,
    left: 'r3',
    right: 'far',
    addresses: { right: { v4: '25.80.4.2', v6: '2d00:80:4::2' } },
  });
  const inside = await run(t, 'exec', '--name', name, 'far', 'sh', '-c', 'ip -o addr; cat /etc/resolv.conf; exit 7');
  t.match(inside, { code: 7, stdout: /25\.80\.4\.2\/24[^]*nameserver 25\.80\.10\.54/ });
  const entered = await endOf(start(t, 'shell', '--name', name, 'r2'), 'ip -o addr; exit 8\n');
  t.match(entered, { code: 8, stdout: /25\.80\.2\.2\/24[^]*25\.80\.3\.1\/24/ });
});

t.test('the command says what it can do, and what was wrong', async (t) => {
  const helps = await Promise.all([['--help'], ['up', '--help'], ['link', '--help']].map((args) => run(t, ...args)));
  for (const help of helps) t.match(help, { code: 0, stdout: /^Usage: npm run lab -- / });
  const cases = [
    { args: ['nonsense'], code: 2, stderr: /unknown command 'nonsense'/ },
    { args: ['link', '2', '--loss', '2'], code: 2, stderr: /"2" must be a number from 0 to 1/ },
    { args: ['link', '2', '--delay', 'much'], code: 2, stderr: /"much" must be a number of at least 0/ },
    {
      args: ['status', '--name', 'nobody'],
      code: 1,
      stderr: /^lab: no lab "nobody" is running: start it with npm run lab -- up\n/m,
    },
    { args: ['up', '--only', 'gopher'], code: 1, stderr: /unknown server "gopher": one of / },
  ];
  await Promise.all(
    cases.map(async ({ args, ...expected }) => t.match(await run(t, ...args), expected, args.join(' '))),
  );
});

t.test('a lab without root, or without a program it runs, says so in a line', async (t) => {
  const asked = async (prelude: string) => {
    const child = spawn(process.execPath, ['-e', `${prelude};${program}`, '--', 'up'], {
      env: { PATH: '/nonexistent' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    return read(child.stderr);
  };
  const [unprivileged, bare] = await Promise.all(
    ['process.getuid = () => 1000', 'process.getuid = () => 0'].map(asked),
  );
  t.match(unprivileged, /^lab: a lab needs root to create network namespaces$/m);
  t.match(bare, /^lab: needs ip, setpriv, gcc: apt-get install gcc iproute2 libc6-dev util-linux$/m);
});
