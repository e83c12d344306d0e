import { until } from '@vantage/shared/_support/until.js';
import { newerCodec, newerFrame, oldestCodec } from '@vantage/shared/protocol/_support/schema-codec.js';
import { CloseReasonCode, laneCode } from '@vantage/shared/protocol/codec.js';
import { isSignatureValid, publicKeyFromRaw } from '@vantage/shared/protocol/ed25519.js';
import { versionRefusalBytes } from '@vantage/shared/protocol/transcript.js';
import t, { type Test } from 'tap';
import { enrollPeer, PeerAgent, successOf } from './_support/peer-agent.js';
import { runProbe } from './_support/probes.js';
import { startStack } from './_support/stack.js';

// The control plane of this build against agents of other builds.

const { api, controlPlane, database } = await startStack(t, { VANTAGE_METRICS_LISTEN: '127.0.0.1:0' });

/** Runs a probe on this peer's node, which answers by itself. */
async function goesRound(t: Test, peer: PeerAgent): Promise<void> {
  const body = { target: '127.0.0.1:1', node_id: peer.identity.nodeId };
  t.match(await runProbe(api, 'tcp', body), { status: 'completed', node_results: [{ success: true }] });
}

t.test('an agent of any build works with a control plane of this one', async (t) => {
  for (const [name, codec] of [
    ['the first build', oldestCodec()],
    ['a future build', newerCodec()],
  ] as const) {
    const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api, { name }), { codec });
    await goesRound(t, peer);
    await peer.waitFor('the response to a heartbeat', (frame) => frame.heartbeat?.isReply === true);
    t.ok(peer.isOpen, name);
    peer.leave();
  }
  for (const protocolVersions of [[2, 1], [1, 2, 3], [1, 1, 1], Array.from({ length: 16 }, (_, i) => 16 - i)]) {
    const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { protocolVersions });
    const { challenge } = await peer.waitFor('the challenge', (frame) => frame.challenge !== null);
    t.equal(challenge?.protocolVersion, 1, `of ${protocolVersions}`);
    peer.leave();
  }
});

t.test('an agent without a common version is shown on its node and in a metric, until its next link', async (t) => {
  const identity = await enrollPeer(api);
  const refused = async (path: string) =>
    (await api.call('GET', path)).body.data.items.find(({ id }: { id: string }) => id === identity.nodeId)
      .version_refused;
  const counted = async () =>
    (await (await fetch(controlPlane.metricsUrl ?? '')).text()).match(/^vantage_nodes_version_refused (\d)$/m)?.[1];
  t.equal(await refused('/v1/account/nodes'), null);
  await (await PeerAgent.dial(t, api.url, identity, { protocolVersions: [99, 2] })).waitForClose();
  await until('it to be recorded', async () => (await refused('/v1/account/nodes')) !== null);
  for (const path of ['/v1/account/nodes', '/v1/admin/nodes'])
    t.match(await refused(path), { asked: [99, 2], agent_version: '0.1.0', at: /^20.*Z$/ });
  await until('it to be counted', async () => (await counted()) === '1');
  const { body } = await api.call('GET', `/v1/nodes/${identity.nodeId}`, { as: null });
  t.notMatch(JSON.stringify(body), /version_refused/, 'not to everyone');
  await PeerAgent.connect(t, api.url, identity);
  t.equal(await refused('/v1/admin/nodes'), null);
  await until('the metric to forget it', async () => (await counted()) === '0');
  await (await PeerAgent.dial(t, api.url, identity, { protocolVersions: [2] })).waitForClose();
  await (await PeerAgent.dial(t, api.url, await enrollPeer(api), { protocolVersions: [3] })).waitForClose();
  await until('the other to be counted', async () => (await counted()) === '1');
  t.equal(await refused('/v1/admin/nodes'), null, 'a stranger who names a linked node changes nothing');
});

t.test(
  'an agent without a common protocol version is refused for that reason by the control plane itself',
  async (t) => {
    const { rows } = await database.db.raw('SELECT public_key FROM server_identity');
    const key = publicKeyFromRaw(rows[0].public_key);
    const identity = await enrollPeer(api);
    for (const protocolVersions of [[0], [2], [99, 2], []]) {
      const peer = await PeerAgent.dial(t, api.url, identity, { protocolVersions });
      const { close } = await peer.waitFor('the close', (frame) => frame.close !== null);
      t.match(close, { reason: CloseReasonCode.CLOSE_UPGRADE_REQUIRED, protocolVersions: [1] });
      t.match(close?.message, /supports link protocol 1, the agent (?:0|2|99, 2|none)$/);
      const said = { ...identity, agentNonce: peer.nonce };
      t.ok(isSignatureValid(key, versionRefusalBytes(said, [1]), close?.serverSignature ?? new Uint8Array()));
      await peer.waitForClose();
    }
  },
);

t.test('frames of a newer agent are ignored, from the welcome on', async (t) => {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { strangeLane: 9 });
  for (let i = 0; i < 3; i += 1) peer.sendBytes(newerFrame());
  await goesRound(t, peer);
  t.ok(peer.isOpen);
  const early = await PeerAgent.dial(t, api.url, await enrollPeer(api), { isProving: false });
  await early.waitFor('the challenge', (frame) => frame.challenge !== null);
  early.sendBytes(newerFrame());
  t.equal((await early.waitForClose()).reason, 'CLOSE_PROTOCOL_ERROR', 'before that they close the link');
});

t.test('results of an unknown kind or type are rejected by number, the rest of the batch is stored', async (t) => {
  const peer = await PeerAgent.connect(t, api.url, await enrollPeer(api), { isAnswering: false });
  const body = { target: '127.0.0.1:1', node_id: peer.identity.nodeId };
  const { data } = (await api.call('POST', '/v1/probe/tcp', { body })).body;
  await until('the job', () => peer.jobs.length === 1);
  const taskId = peer.jobs[0]?.taskId ?? '';
  const real = successOf(taskId, 'tcp');
  peer.sendResults([{ ...real, kind: 'horoscope' }, { ...real, probeType: 'horoscope' }, real]);
  const { ack } = await peer.waitFor('the acknowledgement', (frame) => frame.ack !== null);
  t.match(ack, {
    lane: laneCode('task'),
    mark: 3,
    rejects: [
      { sequence: 1, code: 'unknown_kind' },
      { sequence: 2, code: 'unknown_type' },
    ],
  });
  t.equal((await api.call('GET', `/v1/probe/tasks/${data.task_id}?wait=5`)).body.data.status, 'completed');
});
