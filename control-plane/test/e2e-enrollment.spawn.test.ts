import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { until } from '@vantage/shared/_support/until.js';
import t, { type Test } from 'tap';
import { enrollBody } from './_support/peer-agent.js';
import { runAgentCommand } from './_support/real-agent.js';
import { startReplicaPair } from './_support/replica-pair.js';
import { startStack, type TestApi } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const CLAIMS = 20;

async function newToken(api: TestApi): Promise<{ id: string; token: string }> {
  return (await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} })).body.data;
}

function newKey(): KeyObject {
  return generateKeyPairSync('ed25519').privateKey;
}

/** Runs `vantage-agent enroll` with a token from standard input. */
function enrollByCommand(t: Test, url: string, token: string, stateDir = path.join(temporaryDirectory(t), 'agent')) {
  return runAgentCommand({
    args: ['enroll', '--url', url, '--token', '-', '--state-dir', stateDir, '--json'],
    input: token,
  });
}

t.test('an agent with a used, expired, revoked, unknown or mistyped token prints what to do', async (t) => {
  const { api, database } = await startStack(t);
  const [used, expired, revoked, unknown] = await Promise.all(Array.from({ length: 4 }, () => newToken(api)));
  if (!used || !expired || !revoked || !unknown) throw new Error('no tokens');
  t.match(await enrollByCommand(t, api.url, used.token), { code: 0 });
  await database
    .db('enrollment_tokens')
    .where({ id: expired.id })
    .update({ expires_at: new Date(0) });
  await api.call('DELETE', `/v1/nodes/enrollment-tokens/${revoked.id}`);
  await database.db('enrollment_tokens').where({ id: unknown.id }).delete();

  const refusals = await Promise.all(
    [used, expired, revoked, unknown].map(({ token }) => enrollByCommand(t, api.url, token)),
  );
  for (const { code, stdout, stderr } of refusals) {
    t.equal(code, 1);
    t.match(JSON.parse(stdout), { error: { code: 'NODE_ENROLLMENT_TOKEN_INVALID', is_retryable: false } });
    t.match(stderr, /the token is unknown, used, expired or revoked: request a new one/);
    t.equal(stderr, refusals[0]?.stderr, 'the same line for each');
  }
  const mistyped = used.token.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  const refusal = await enrollByCommand(t, api.url, mistyped);
  t.match(refusal, { code: 2, stderr: /the token is mistyped or incomplete.*copy it again/ });
  for (const { stdout, stderr } of [...refusals, refusal]) t.notMatch(stdout + stderr, 'ent_', 'no token is printed');
});

t.test('an agent that lost the response enrolls again with the same token as the same node', async (t) => {
  const { api } = await startStack(t);
  const { token } = await newToken(api);
  const stateDir = path.join(temporaryDirectory(t), 'agent');
  const first = await enrollByCommand(t, api.url, token, stateDir);
  t.equal(first.code, 0);
  t.match(await enrollByCommand(t, api.url, token, stateDir), { code: 1, stderr: /n_/ }, 'nothing is overwritten');
  await rm(path.join(stateDir, 'identity.json'));
  const again = await enrollByCommand(t, api.url, token, stateDir);
  t.equal(JSON.parse(again.stdout).node_id, JSON.parse(first.stdout).node_id);
  t.equal((await api.call('GET', '/v1/nodes')).body.data.items.length, 1);
});

t.test('twenty agents that use one token on two replicas at once become exactly one node', async (t) => {
  const { one, other, entry, database } = await startReplicaPair(t);
  const { token } = await newToken(one);
  const enroll = async (api: TestApi, privateKey: KeyObject) => {
    const claim = () =>
      api.call('POST', '/v1/nodes/enroll', { body: enrollBody(token, privateKey, entry.url), as: null });
    let answer = await claim();
    // one that has waited too long for its turn asks again
    await until('its turn', async () => {
      if (answer.status === 429) answer = await claim();
      return answer.status !== 429;
    });
    return answer;
  };
  const keys = Array.from({ length: CLAIMS }, newKey);
  const answers = await Promise.all(keys.map((key, index) => enroll(index % 2 === 0 ? one : other, key)));
  const winners = answers.filter(({ status }) => status === 201);
  t.equal(winners.length, 1);
  for (const { status, body } of answers.filter((answer) => !winners.includes(answer))) {
    t.match({ status, body }, { status: 401, body: { error: { code: 'NODE_ENROLLMENT_TOKEN_INVALID' } } });
  }
  t.strictSame(await database.db('nodes').pluck('id'), [winners[0]?.body.data.node_id]);
  const winner = keys[answers.indexOf(winners[0] as (typeof answers)[number])] as KeyObject;
  const repeated = await Promise.all([one, other, one, other].map((api) => enroll(api, winner)));
  for (const { status, body } of repeated) {
    t.match({ status, body }, { status: 201, body: { data: { node_id: winners[0]?.body.data.node_id } } });
  }
  t.equal((await enroll(other, newKey())).status, 401);
});

t.test('an agent does not send its token unencrypted to another machine unless requested', async (t) => {
  const { api } = await startStack(t);
  const { token } = await newToken(api);
  const refused = await enrollByCommand(t, 'http://vantage.example', token);
  t.match(refused, { code: 2, stdout: /"error"/, stderr: /is not encrypted.*use https, or --insecure/ });
  t.match(await enrollByCommand(t, api.url, token), { code: 0 }, 'nor was it used up');
});
