import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { Spool } from '../src/spool/spool.js';
import { AGENT_VERSION } from '../src/version.js';
import { AGENT_BIN, runCommand } from './_support/cli.js';
import { enrolledStateDir, startAgent } from './_support/enrolled-agent.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { makeAgentOfNextFormat } from './_support/next-format.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** A state directory with the spool of an agent that runs, in which one result waits. */
async function aStateDir(t: Test): Promise<string> {
  const stateDir = temporaryDirectory(t);
  const folder = join(stateDir, 'spool');
  mkdirSync(folder);
  const spool = await Spool.open({ folder, log: pino({ level: 'silent' }), clock: systemClock });
  t.teardown(() => spool.close());
  await spool.append('task', Buffer.from('{}')).durable;
  return stateDir;
}

t.test(
  'check-release loads the engines and opens a copy of the spool that an agent has open, without a change',
  async (t) => {
    const stateDir = await aStateDir(t);
    const folder = join(stateDir, 'spool');
    const before = [readdirSync(stateDir), readdirSync(folder)];
    const { code, stdout } = await runCommand(t, ['check-release', '--state-dir', stateDir]);
    t.equal(code, 0);
    t.match(
      stdout,
      /^version \d+\.\d+\.\d+, Node\.js .*\nmeasures: plain sockets.*\nspool: a copy opens, 1 results wait\n$/,
    );
    t.strictSame([readdirSync(stateDir), readdirSync(folder)], before);
  },
);

t.test('check-release refuses a spool that this version cannot read, and leaves it alone', async (t) => {
  const stateDir = temporaryDirectory(t);
  mkdirSync(join(stateDir, 'spool'));
  const file = join(stateDir, 'spool', 'spool.db');
  writeFileSync(file, 'no database at all');
  const { code, stderr } = await runCommand(t, ['check-release', '--state-dir', stateDir]);
  t.equal(code, 1);
  t.match(stderr, /spool|database/);
  t.equal(readFileSync(file, 'utf8'), 'no database at all');
});

t.test(
  'check-release refuses a version after which the one before it could not read the spool, and leaves it alone',
  async (t) => {
    const stateDir = await aStateDir(t);
    const next = makeAgentOfNextFormat(t);
    const check = (program: string, before: string) =>
      runCommand(t, ['check-release', '--state-dir', stateDir, '--before', before], { program });
    t.match(await check(AGENT_BIN, AGENT_BIN), { code: 0, stdout: /a copy opens, 1 results wait/ });
    t.match(await check(next, next), { code: 0, stdout: /a copy opens, 1 results wait/ });
    const refused = await check(next, AGENT_BIN);
    t.equal(refused.code, 1);
    t.match(refused.stderr, /there would be no way back, .* was created by a newer version of the agent/);
    t.match(await check(AGENT_BIN, AGENT_BIN), { code: 0 }, 'the file has its old format');
    t.strictSame(readdirSync(stateDir), ['spool']);
  },
);

t.test('health waits for an open link and a self-test, and names what is missing', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const missing = await runCommand(t, ['health', '--state-dir', stateDir]);
  t.match(missing, { code: 1, stdout: 'no agent runs with this state directory\n' });
  startAgent(t, stateDir);
  const waiting = runCommand(t, ['health', '--within', '60', '--state-dir', stateDir]);
  await controlPlane.nextOpenPeer();
  const healthy = await waiting;
  t.match(healthy, { code: 0, stdout: `version ${AGENT_VERSION}: link open, spool open, self-test done\n` });
});
