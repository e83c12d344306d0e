import { existsSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { AgentInstallation } from './_support/installed-agent.js';
import { RealAgent } from './_support/real-agent.js';
import { startStack } from './_support/stack.js';

/** A node whose agent is installed as by its operator, with a command that swaps releases. */
async function anInstalledNode(t: Test, extraLine?: string) {
  const { api } = await startStack(t);
  const installation = new AgentInstallation(t, ['0.1.0', '0.2.0'], extraLine);
  const agent = await RealAgent.enroll(t, api);
  /** Restarts the agent, as a service manager does. */
  const run = async () => installation.notePid((await agent.run(installation.launch)).pid);
  await run();
  const record = async () => (await api.call('GET', '/v1/admin/nodes')).body.data.items[0];
  const ask = (version: string) => api.call('POST', `/v1/admin/nodes/${agent.nodeId}/upgrade`, { body: { version } });
  const upgradeIs = (state: string) =>
    until(`the upgrade to be ${state}`, async () => (await record()).upgrade.state === state);
  /** Waits for the end of the link that was: an agent that is started earlier may be taken for online by it. */
  const linkIsOver = () =>
    until('its link to be over', async () => {
      const { body } = await api.call('GET', `/v1/nodes/${agent.nodeId}`);
      return body.data.status === 'offline' && (await record()).status === 'offline';
    });
  return { agent, installation, run, record, ask, upgradeIs, linkIsOver };
}

t.test('an upgrade swaps the release with the operator’s command, and is done when the agent is back', async (t) => {
  const { agent, run, record, ask, upgradeIs, linkIsOver } = await anInstalledNode(t);
  t.match(await record(), { version: '0.1.0' });
  t.equal((await ask('0.3.0')).status, 202);
  await upgradeIs('failed');
  t.match((await record()).upgrade.error, {
    code: 'NODE_UPGRADE_FAILED',
    message: 'the command ended with 2: no release 0.3.0',
  });
  t.equal((await ask('0.2.0')).status, 202);
  t.match(await agent.program.ended, { code: 0 }, 'the command ends the agent, as a restart does');
  // what the agent said last may come after the end of its link, and be ignored: the upgrade need not be running now
  await linkIsOver();
  await run();
  await upgradeIs('done');
  t.match(await record(), { version: '0.2.0', status: 'online', upgrade: { version: '0.2.0', error: null } });
});

t.test('an agent that is killed while its upgrade command runs lets the command finish', async (t) => {
  const { agent, installation, run, record, ask, upgradeIs, linkIsOver } = await anInstalledNode(
    t,
    'while [ ! -e go ]; do echo waiting; sleep 0.05; done',
  );
  const printed = () => readFileSync(path.join(agent.stateDir, 'upgrade.log'), 'utf8');
  await ask('0.2.0');
  await upgradeIs('running');
  await until('the command to run', () => existsSync(path.join(agent.stateDir, 'upgrade.log')) && printed() !== '');
  await agent.kill();
  await linkIsOver();
  await run();
  t.match(await record(), { version: '0.1.0', upgrade: { state: 'running' } }, 'it is not requested twice');
  writeFileSync(installation.file('go'), '');
  t.match(await agent.program.ended, { code: 0 }, 'the command restarts the running agent');
  t.match(readlinkSync(installation.file('current')), /0\.2\.0$/);
  t.match(printed(), /restarting\n$/, 'its output is kept for the operator');
});
