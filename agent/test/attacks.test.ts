import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import { CloseReasonCode } from '@vantage/shared/protocol/codec.js';
import { WS_CLOSE_BANNED, WS_CLOSE_DELETED } from '@vantage/shared/protocol/limits.js';
import t from 'tap';
import { Agent } from 'undici';
import { requestEnrollment } from '../src/identity/enrollment-request.js';
import { planReconnect } from '../src/link/reconnect.js';
import { FakeControlPlane } from './_support/fake-control-plane.js';
import { startNode } from './_support/link-fixture.js';

// What an attacker may try in the control plane's place, or a control plane that has gone wrong.

const lies = [
  { name: 'bans nobody, by frame', lie: { close: { reason: CloseReasonCode.CLOSE_BANNED, message: 'go away' } } },
  { name: 'bans nobody, by close code', lie: WS_CLOSE_BANNED },
  { name: 'deletes nobody, by frame', lie: { close: { reason: CloseReasonCode.CLOSE_DELETED, message: 'go away' } } },
  { name: 'deletes nobody, by close code', lie: WS_CLOSE_DELETED },
];
for (const { name, lie } of lies) {
  t.test(`a peer that has not proved to be the control plane ${name}`, async (t) => {
    const impostor = await FakeControlPlane.start(t);
    const node = await startNode(t, impostor);
    const peer = await impostor.nextPeer();
    if (typeof lie === 'number') peer.socket.close(lie);
    else peer.send(lie);
    await until('the link to end', () => node.link.status.lastEnd !== null);
    t.match(node.link.status.lastEnd, { kind: 'unauthenticated' });
  });
}

t.test(
  'no peer can send an agent away for longer than an hour, or make it dial without a pause by requesting more',
  (t) => {
    for (const retryAfterMs of [3_600_000, 2 ** 31, 2 ** 32 - 1]) {
      const end = { kind: 'overloaded', message: '', retryAfterMs, controlUrls: [], openMs: 0 } as const;
      t.match(
        planReconnect(end, { failures: 0, awayMs: 0, hasOther: false, random: 0 }),
        { delayMs: 3_600_000 },
        String(retryAfterMs),
      );
    }
    t.end();
  },
);

t.test('a job whose specification is larger than the API permits ends the link and is not run', async (t) => {
  const controlPlane = await FakeControlPlane.start(t);
  const node = await startNode(t, controlPlane);
  const peer = await controlPlane.nextOpenPeer();
  const specJson = Buffer.alloc(512 * 1024, ' ');
  peer.send({ job: { taskId: 'pt_1', probeType: 'tcp', deadlineMs: 1000, specJson } });
  await peer.closed();
  await controlPlane.nextOpenPeer();
  t.match(node.link.status.lastEnd, { kind: 'protocol_error', message: /too large/ });
  t.equal(node.measuring.jobs.length, 0);
});

t.test('the response of an impostor to an enrollment cannot control the operator’s terminal', async (t) => {
  const escape = '\x1b[2J\x1b]0;owned\x07\u009b31m';
  const server = createServer((_request, response) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { code: 'WHATEVER', message: `${escape}hello`, details: {} } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dispatcher = new Agent();
  t.teardown(() => {
    server.close();
    return dispatcher.destroy();
  });
  const { port } = server.address() as AddressInfo;
  const body = {
    token: 'ent_x',
    public_key: '',
    proof: '',
    hostname: 'h',
    version: '1',
    os: 'l',
    arch: 'x',
    capabilities: [],
  };
  const refusal = await requestEnrollment(`http://127.0.0.1:${port}`, body, { dispatcher, clock: systemClock }).catch(
    String,
  );
  t.match(refusal, /hello/);
  t.notMatch(refusal, /[\p{Cc}]/u);
});
