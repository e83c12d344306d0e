import { rm } from 'node:fs/promises';
import path from 'node:path';
import t from 'tap';
import { runAgentCommand } from './_support/real-agent.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const { api } = await startStack(t);
const { token } = (await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} })).body.data;

/** Runs `vantage-agent enroll` with the token from standard input. */
function enrollByCommand(stateDir: string) {
  return runAgentCommand({
    args: ['enroll', '--url', api.url, '--token', '-', '--state-dir', stateDir, '--json'],
    input: token,
  });
}

t.test(
  'an agent that lost the response enrolls again with the same token as the same node; another does not',
  async (t) => {
    const stateDir = path.join(temporaryDirectory(t), 'agent');
    const first = await enrollByCommand(stateDir);
    t.equal(first.code, 0);
    t.match(await enrollByCommand(stateDir), { code: 1, stderr: /n_/ }, 'nothing is overwritten');
    await rm(path.join(stateDir, 'identity.json'));
    const again = await enrollByCommand(stateDir);
    t.equal(JSON.parse(again.stdout).node_id, JSON.parse(first.stdout).node_id);
    t.equal((await api.call('GET', '/v1/nodes')).body.data.items.length, 1);

    const { code, stdout, stderr } = await enrollByCommand(path.join(temporaryDirectory(t), 'another'));
    t.equal(code, 1);
    t.match(JSON.parse(stdout), { error: { code: 'NODE_ENROLLMENT_TOKEN_INVALID', is_retryable: false } });
    t.match(stderr, /the token is unknown, used, expired or revoked: request a new one/);
    t.notMatch(stdout + stderr, 'ent_', 'no token is printed');
  },
);
