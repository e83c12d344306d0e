import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { untilRight } from '@vantage/shared/_support/attempts.js';
import { until } from '@vantage/shared/_support/until.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import { runCommand } from './_support/cli.js';
import { allGone, enrolledStateDir, measuringChildOf, saysConnected, startAgent } from './_support/enrolled-agent.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';

/** A server on loopback that accepts, and says hello when a test lets it. */
async function startTarget(t: Test): Promise<{ server: Server; target: string; greet: () => void }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const greet = () => {
    for (const socket of sockets) socket.end('hello');
  };
  t.teardown(() => {
    greet();
    server.close();
  });
  return { server, target: `127.0.0.1:${(server.address() as AddressInfo).port}`, greet };
}

t.test('a job from the control plane is measured by the real engine and its result delivered', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const stateDir = await enrolledStateDir(t, controlPlane);
  const { target } = await startTarget(t);
  const agent = startAgent(t, stateDir);
  const peer = await controlPlane.nextOpenPeer();
  peer.job('pt_1', target);
  const batch = await peer.next('results');
  const result: unknown = JSON.parse(Buffer.from(batch.results[0]?.resultJson ?? []).toString());
  t.match(compileSchema(agentResultSchema('tcp'))(result), { ok: true });
  t.match(result, { success: true, resolved_ip: '127.0.0.1' });
  peer.ack(batch);

  await saysConnected(stateDir);
  const status = await runCommand(t, ['status', '--json', '--state-dir', stateDir]);
  t.equal(status.code, 0);
  t.match(JSON.parse(status.stdout), {
    is_connected: true,
    agent: { pid: agent.process.pid, node_id: controlPlane.nodeId, link: { state: 'open', url: controlPlane.url } },
  });

  const child = await measuringChildOf(agent.process.pid ?? 0);
  agent.process.kill('SIGTERM');
  t.match(await agent.ended, { code: 0, stdout: '' });
  await allGone([child]);
  t.notOk(existsSync(join(stateDir, 'status.json')));
  const secrets = readFileSync(join(stateDir, 'key.pem'), 'utf8').split('\n').slice(1, 2);
  for (const secret of secrets) t.notOk(agent.output.stderr.includes(secret), 'no secret in the log');
});

/** Stops an agent while its probe waits for a server, which then answers. @returns its exit, and the result if it sent one */
async function stopDuringProbe(t: Test) {
  const controlPlane = await FakeControlPlane.start(t);
  const { server, target, greet } = await startTarget(t);
  const agent = startAgent(t, await enrolledStateDir(t, controlPlane));
  const peer = await controlPlane.nextOpenPeer();
  const spec = { target, params: { banner: true } };
  peer.send({
    job: { taskId: 'pt_1', probeType: 'tcp', specJson: Buffer.from(JSON.stringify(spec)), deadlineMs: 10_000 },
  });
  await once(server, 'connection');
  agent.process.kill('SIGTERM');
  await until('the agent is stopping', () => agent.output.stderr.includes('stopping'));
  greet();
  const { code } = await agent.ended;
  await peer.closed();
  const [batch] = peer.unread('results');
  const resultJson = Buffer.from(batch?.results?.results?.[0]?.resultJson ?? 'null').toString();
  return { code, result: JSON.parse(resultJson) };
}

t.test('a probe that runs when the agent is stopped is finished and delivered', async (t) => {
  // an agent gives its last probes two seconds
  const stopped = await untilRight(
    () => stopDuringProbe(t),
    ({ result }) => result?.success === true,
  );
  t.match(stopped, { code: 0, result: { success: true } });
});
