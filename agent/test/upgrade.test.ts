import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { allGone } from './_support/enrolled-agent.js';
import { FakeControlPlane, type FakePeer } from './_support/fake-control-plane.js';
import { startNode, type TestNodeOptions } from './_support/link-fixture.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** A shell script as the operator's command; `{dir}` in it is a directory of the test. */
function aCommand(t: Test, script: string): { path: string; file: (name: string) => string } {
  const dir = temporaryDirectory(t);
  const path = join(dir, 'upgrade');
  writeFileSync(path, `#!/bin/sh\n${script.replaceAll('{dir}', dir)}\n`);
  chmodSync(path, 0o755);
  return { path, file: (name) => join(dir, name) };
}

async function aNode(t: Test, options: TestNodeOptions = {}) {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane, options);
  return { controlPlane, node, peer: await controlPlane.nextOpenPeer() };
}

/** Final status that the agent reports for a requested upgrade. */
async function answerTo(peer: FakePeer, wish: { version: string; request: number }) {
  peer.send({ upgrade: wish });
  const first = await peer.next('upgradeStatus');
  return first.state === 'running' ? await peer.next('upgradeStatus') : first;
}

t.test('an upgrade is refused where the operator has configured no command', async (t) => {
  const { peer } = await aNode(t);
  t.match(await answerTo(peer, { version: '0.2.0', request: 7 }), {
    version: '0.2.0',
    request: 7,
    state: 'refused',
    detail: /VANTAGE_AGENT_UPGRADE_COMMAND/,
  });
});

t.test('the command gets the version as its one argument, an environment of its own, and no shell', async (t) => {
  const command = aCommand(t, 'echo "$# $1" > {dir}/told; env > {dir}/env; pwd > {dir}/pwd');
  process.env['VANTAGE_TEST_SECRET'] = 'hunter2';
  t.teardown(() => delete process.env['VANTAGE_TEST_SECRET']);
  const { peer } = await aNode(t, { upgradeCommand: command.path });
  peer.send({ upgrade: { version: '0.2.0-rc.1', request: 7 } });
  t.match(await peer.next('upgradeStatus'), { state: 'running', request: 7 });
  await until(
    'the command to end',
    () => existsSync(command.file('pwd')) && readFileSync(command.file('pwd'), 'utf8') !== '',
  );
  t.equal(readFileSync(command.file('told'), 'utf8'), '1 0.2.0-rc.1\n');
  t.equal(readFileSync(command.file('pwd'), 'utf8'), '/\n');
  const names = readFileSync(command.file('env'), 'utf8')
    .split('\n')
    .map((line) => line.split('=')[0]);
  t.same(names.filter((name) => name && !['PWD', 'SHLVL', '_', 'OLDPWD'].includes(name)).sort(), ['LANG', 'PATH']);
});

t.test('a command that fails, does not exist or may not be run is reported with its last output', async (t) => {
  const noisy = aCommand(
    t,
    'head -c 100000 /dev/zero | tr "\\\\0" x; echo; printf "no \\\\033[31mroom\\n" >&2; exit 3',
  );
  const plain = aCommand(t, '');
  chmodSync(plain.path, 0o644);
  for (const [upgradeCommand, detail] of [
    [noisy.path, /^the command ended with 3: no  \[31mroom$/],
    [plain.path, /^cannot run ".*": EACCES$/],
    ['/nowhere/upgrade', /^cannot run "\/nowhere\/upgrade": ENOENT$/],
    [aCommand(t, 'kill -9 $$').path, /^the command was ended by SIGKILL$/],
  ] as const) {
    const { peer } = await aNode(t, { upgradeCommand });
    t.match(await answerTo(peer, { version: '0.2.0', request: 1 }), { state: 'failed', detail });
  }
});

t.test('a repeated request is executed once, also over the next link; then another one is accepted', async (t) => {
  const command = aCommand(t, 'echo "$1" >> {dir}/runs; exit 1');
  const { controlPlane, peer } = await aNode(t, { upgradeCommand: command.path });
  const wish = { version: '0.2.0', request: 1 };
  t.match(await answerTo(peer, wish), { state: 'failed' });
  t.match(await answerTo(peer, wish), { state: 'failed' });
  peer.socket.terminate();
  const back = await controlPlane.nextOpenPeer();
  t.match(await back.next('upgradeStatus'), { state: 'failed', request: 1 }, 'told again, by itself');
  t.match(await answerTo(back, wish), { state: 'failed' });
  t.equal(readFileSync(command.file('runs'), 'utf8'), '0.2.0\n');
  t.match(await answerTo(back, { version: '0.2.0', request: 2 }), { state: 'failed', request: 2 });
  t.equal(readFileSync(command.file('runs'), 'utf8'), '0.2.0\n0.2.0\n');
});

t.test(
  'one command runs at a time, work continues meanwhile, and the running version is not installed again',
  async (t) => {
    const command = aCommand(t, 'while [ ! -e {dir}/go ]; do sleep 0.05; done; echo enough; exit 4');
    const { peer } = await aNode(t, { upgradeCommand: command.path });
    t.match(await answerTo(peer, { version: '0.0.0', request: 1 }), { state: 'refused', detail: /already running/ });
    peer.send({ upgrade: { version: '0.2.0', request: 2 } });
    t.match(await peer.next('upgradeStatus'), { state: 'running' });
    t.match(await answerTo(peer, { version: '0.3.0', request: 3 }), { state: 'refused', detail: /0\.2\.0 is running/ });
    peer.job('pt_1');
    peer.ack(await peer.next('results'));
    writeFileSync(command.file('go'), '');
    t.match(await peer.next('upgradeStatus'), { state: 'failed', request: 2, detail: /ended with 4: enough/ });
  },
);

t.test('a command that hangs is killed after ten minutes, with all it started', async (t) => {
  const command = aCommand(t, 'sleep 600 & echo $! > {dir}/child; wait');
  const clock = new FakeClock();
  const { peer } = await aNode(t, { upgradeCommand: command.path, clock });
  peer.send({ upgrade: { version: '0.2.0', request: 1 } });
  t.match(await peer.next('upgradeStatus'), { state: 'running' });
  const child = () => (existsSync(command.file('child')) ? readFileSync(command.file('child'), 'utf8').trim() : '');
  await until('its child to run', () => child() !== '');
  clock.advance(600_000);
  await allGone([Number(child())]);
});

t.test('a command goes on to its end when the agent stops, whatever it prints', async (t) => {
  const command = aCommand(t, 'while [ ! -e {dir}/go ]; do sleep 0.05; done; echo going on; echo "$1" > {dir}/done');
  const { node, peer } = await aNode(t, { upgradeCommand: command.path });
  peer.send({ upgrade: { version: '0.2.0', request: 1 } });
  t.match(await peer.next('upgradeStatus'), { state: 'running' });
  node.upgrades.stop();
  await node.stop();
  writeFileSync(command.file('go'), '');
  await until('it to have ended', () => existsSync(command.file('done')));
});

t.test('an invalid version ends the link and runs no command', async (t) => {
  const command = aCommand(t, 'echo "$1" > {dir}/runs');
  for (const version of ['', '--help', '1.0.0;id', '../1.0.0']) {
    const { peer } = await aNode(t, { upgradeCommand: command.path });
    peer.send({ upgrade: { version, request: 1 } });
    await peer.closed();
  }
  t.notOk(existsSync(command.file('runs')));
});

t.test('a failure that comes after the command is reported, also by the next process of the agent', async (t) => {
  const command = aCommand(t, 'exit 0');
  const folder = temporaryDirectory(t);
  const clock = new FakeClock();
  const { controlPlane, node, peer } = await aNode(t, { upgradeCommand: command.path, folder, clock });
  const fails = (text: string) => writeFileSync(join(folder, 'upgrade.failed'), text);
  fails('0.2.0 an older failure\n');
  peer.send({ upgrade: { version: '0.2.0', request: 7 } });
  t.match(await peer.next('upgradeStatus'), { state: 'running', request: 7 });
  await until('the request to be kept', () => existsSync(join(folder, 'upgrade.pending.json')));
  await node.stop();
  node.upgrades.stop();
  fails('0.2.0 the new version was not healthy within 60 s, 0.1.0 runs again\n');
  await startNode(t, controlPlane, { upgradeCommand: command.path, folder, clock });
  const back = await controlPlane.nextOpenPeer();
  t.match(await back.next('upgradeStatus'), {
    state: 'failed',
    request: 7,
    version: '0.2.0',
    detail: /^the new version was not healthy/,
  });
  t.notOk(existsSync(join(folder, 'upgrade.pending.json')), 'reported once');
});
