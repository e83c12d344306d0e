import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { missing } from '@vantage/shared/_support/missing.js';
import { startServiceManager } from '@vantage/shared/_support/service-manager.js';
import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import t from 'tap';
import { judgeError } from '../src/commands/judge-error.js';
import { run } from '../src/commands/run.js';
import type { StatusReport } from '../src/commands/status-report.js';
import { parseConfig } from '../src/config.js';
import { lockStateDirectory } from '../src/identity/state-directory.js';
import { runCommand } from './_support/cli.js';
import { allGone, enrolledStateDir, measuringChildOf, saysConnected, startAgent } from './_support/enrolled-agent.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';

const config = parseConfig({ VANTAGE_LOG_LEVEL: 'silent' });

t.test('kill -9 of the agent ends its measuring child, and status shows it', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const agent = startAgent(t, stateDir);
  await controlPlane.nextOpenPeer();
  const reported = async () => {
    const { code, stdout } = await runCommand(t, ['status', '--json', '--state-dir', stateDir]);
    return { code, report: JSON.parse(stdout) as StatusReport };
  };
  await saysConnected(stateDir);
  t.match(await reported(), { code: 0, report: { is_connected: true, problem: null, agent: { generation: 1 } } });
  const child = await measuringChildOf(agent.process.pid ?? 0);
  agent.process.kill('SIGKILL');
  await agent.ended;
  await allGone([child]);
  t.match(await reported(), {
    code: 1,
    report: { is_running: false, is_connected: false, problem: /ended unexpectedly/, stored_spool: { rows: 0 } },
  });
});

t.test('an agent whose standard input ends stops cleanly if it is set to do so', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const agent = startAgent(t, await enrolledStateDir(t, controlPlane), { env: { VANTAGE_EXIT_WITH_PARENT: '1' } });
  await controlPlane.nextOpenPeer();
  agent.process.stdin.end();
  t.match(await agent.ended, { code: 0, stderr: /parent gone/ });
});

t.test('an agent forked by a parent stops cleanly when the parent disconnects', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const bin = fileURLToPath(new URL('../../bin/vantage-agent.js', import.meta.url));
  const stateDir = await enrolledStateDir(t, controlPlane);
  const agent = fork(bin, ['run', '--state-dir', stateDir], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
  const exited = once(agent, 'exit');
  await controlPlane.nextOpenPeer();
  agent.disconnect();
  t.same(await exited, [0, null]);
});

t.test('a ban, a deletion and a protocol that is too old end the agent with codes of their own', async (t) => {
  const cases = [
    { reason: CloseReasonCode.CLOSE_BANNED, exit: 'banned', expected: /this node is banned/ },
    { reason: CloseReasonCode.CLOSE_DELETED, exit: 'deleted', expected: /this node was deleted by its owner/ },
    { reason: CloseReasonCode.CLOSE_UPGRADE_REQUIRED, exit: 'upgradeRequired', expected: /needs a newer agent/ },
  ];
  for (const { reason, exit, expected } of cases) {
    const controlPlane = await FakeControlPlane.start(t);
    const stateDir = await enrolledStateDir(t, controlPlane);
    const ended = run({ ...config, stateDir }).catch(judgeError);
    (await controlPlane.nextOpenPeer()).send({ close: { reason, message: 'said the test' } });
    t.match(await ended, { exit, message: expected });
    lockStateDirectory(stateDir).release();
  }
});

t.test('two agents cannot run with one state directory', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const lock = lockStateDirectory(stateDir);
  t.teardown(() => lock.release());
  t.match(await run({ ...config, stateDir }).catch(judgeError), {
    exit: 'stateInUse',
    message: /another vantage-agent is using/,
  });
  t.equal(controlPlane.peers.length, 0);
});

t.test(
  'systemd hears that the agent is ready though its control plane is away, its signs of life, its link and its end',
  { skip: missing('systemd-notify', 'python3') },
  async (t) => {
    const controlPlane = await FakeControlPlane.start(t);
    const stateDir = await enrolledStateDir(t, controlPlane);
    await controlPlane.stop();
    const manager = await startServiceManager(t, 1_500);
    const agent = startAgent(t, stateDir, { env: manager.env });
    await manager.receives('WATCHDOG=1');
    t.equal(manager.received[0], 'READY=1');
    t.match(manager.received.join('\n'), /STATUS=link (?:connecting|waiting)/);
    agent.process.kill('SIGTERM');
    t.match(await agent.ended, { code: 0 });
    t.ok(manager.received.includes('STOPPING=1'));
  },
);
