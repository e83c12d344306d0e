import { createRequire } from 'node:module';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t, { type Test } from 'tap';
import { AnswerList, anIcmpEngine, channelKinds, openFileSockets } from '../../test/_support/raw-sockets.js';
import { startTcpServer, unusedPort } from '../../test/_support/tcp-server.js';
import type { FlowTarget } from './icmp.js';

const rawSocket: typeof import('raw-socket') = createRequire(import.meta.url)('raw-socket');
const skip = missing('raw sockets');
const v4: FlowTarget = { address: '127.0.0.1', family: 4 };
const v6: FlowTarget = { address: '::1', family: 6 };

t.test('a reply that waited for a blocked event loop has the time of its arrival', { skip }, async (t) => {
  const list = new AnswerList();
  for (const target of [v4, v6]) {
    const flow = anIcmpEngine(t, { kind: 'addon' }).openEcho({ target, payloadBytes: 16, listener: list });
    // the kernel begins to stamp a few milliseconds after the first socket asked for it
    flow.send(0, 64);
    await until('the first answer', () => list.answers.length === 1);
    flow.send(1, 64);
    await Promise.resolve(); // packets leave at the end of the turn
    const endMs = systemClock.monotonicMs() + 200;
    while (systemClock.monotonicMs() < endMs);
    await until('the second answer', () => list.answers.length === 2);
    flow.close();
    const rttMs = list.answers.pop()?.rttMs ?? 0;
    t.ok(rttMs > 0 && rttMs < 150, `${rttMs} ms`);
    list.answers.pop();
  }
});

for (const kind of channelKinds) {
  for (const target of [v4, v6]) {
    t.test(`${kind}: IPv${target.family} echo is answered for every payload size`, { skip }, async (t) => {
      const engine = anIcmpEngine(t, { kind });
      for (let payloadBytes = 0; payloadBytes <= 64; payloadBytes += 1) {
        const list = new AnswerList();
        const flow = engine.openEcho({ target, payloadBytes, listener: list });
        flow.send(0, 64);
        flow.send(1, 64);
        await until(`answers to ${payloadBytes} bytes`, () => list.answers.length === 2);
        flow.close();
        const expected = {
          from: target.address,
          name: 'echo_reply',
          isDuplicate: false,
          ttl: target.family === 6 && kind === 'raw-socket' ? null : 64,
        };
        t.match(list.answers, [
          { index: 0, ...expected },
          { index: 1, ...expected },
        ]);
        t.ok(list.answers.every(({ rttMs }) => rttMs > 0));
      }
    });

    t.test(
      `${kind}: IPv${target.family} UDP finds a closed port, each packet under its own number`,
      { skip },
      async (t) => {
        const list = new AnswerList();
        const flow = await anIcmpEngine(t, { kind }).openUdp({ target, port: 33434, listener: list });
        // a Linux host sends at most six such errors in a burst
        for (let index = 0; index < 5; index += 1) flow.send(index, 30);
        await until('five errors', () => list.answers.length === 5);
        flow.close();
        t.same(list.answers.map(({ index }) => index).sort(), [0, 1, 2, 3, 4]);
        t.ok(list.answers.every(({ name, from }) => name === 'port_unreachable' && from === target.address));
      },
    );

    t.test(
      `${kind}: IPv${target.family} TCP distinguishes open from closed ports, and connects to neither`,
      { skip },
      async (t) => {
        const engine = anIcmpEngine(t, { kind });
        const server = await startTcpServer(t, () => {}, target.address);
        const cases = [
          [server.port, 'tcp_syn_ack'],
          [await unusedPort(target.address), 'tcp_rst'],
        ] as const;
        for (const [port, name] of cases) {
          const list = new AnswerList();
          const flow = await engine.openTcp({ target, port, listener: list });
          for (let index = 0; index < 5; index += 1) flow.send(index, 30);
          await until(`five times ${name}`, () => list.answers.length >= 5);
          flow.close();
          t.same(new Set(list.answers.map((answer) => answer.index)), new Set([0, 1, 2, 3, 4]));
          t.ok(list.answers.every((answer) => answer.name === name && answer.from === target.address));
        }
        t.equal(server.accepted, 0);
      },
    );
  }

  t.test(`${kind}: 200 flows at once to 200 addresses never get each other’s answers`, { skip }, async (t) => {
    const engine = anIcmpEngine(t, { kind });
    const runs = Array.from({ length: 200 }, (_, i) => {
      const list = new AnswerList();
      const target: FlowTarget = { address: `127.1.${i % 5}.${i + 1}`, family: 4 };
      return { target, list, flow: engine.openEcho({ target, payloadBytes: i % 65, listener: list }) };
    });
    for (let index = 0; index < 5; index += 1) for (const { flow } of runs) flow.send(index, 64);
    await until('all answers', () => runs.every(({ list }) => list.answers.length >= 5));
    for (const { target, list, flow } of runs) {
      flow.close();
      t.same(
        list.answers.map(({ index, from, isDuplicate }) => ({ index, from, isDuplicate })),
        [0, 1, 2, 3, 4].map((index) => ({ index, from: target.address, isDuplicate: false })),
      );
    }
  });

  t.test(
    `${kind}: every packet leaves with its own time to live, whatever else is sent at the time`,
    { skip },
    async (t) => {
      const engine = anIcmpEngine(t, { kind });
      const seen = watchRequests(t, '127.2.0.1');
      const list = new AnswerList();
      const target: FlowTarget = { address: '127.2.0.1', family: 4 };
      const flows = [0, 1].map(() => engine.openEcho({ target, payloadBytes: 16, listener: list }));
      for (let index = 0; index < 50; index += 1)
        for (const [i, flow] of flows.entries()) flow.send(index, 10 + index + i * 100);
      await until('100 requests', () => seen.length === 100 && list.answers.length === 100);
      for (const flow of flows) flow.close();
      t.same(
        seen.map(({ ttl }) => ttl),
        Array.from({ length: 100 }, (_, i) => 10 + Math.floor(i / 2) + (i % 2) * 100),
      );
    },
  );

  t.test(`${kind}: a closed flow sends nothing more and hears nothing more`, { skip }, async (t) => {
    const engine = anIcmpEngine(t, { kind });
    const seen = watchRequests(t, '127.2.0.2');
    const target: FlowTarget = { address: '127.2.0.2', family: 4 };
    const [closed, later] = [new AnswerList(), new AnswerList()];
    const flow = engine.openEcho({ target, payloadBytes: 16, listener: closed });
    flow.close();
    flow.close();
    flow.send(0, 64);
    const barrier = engine.openEcho({ target, payloadBytes: 16, listener: later });
    barrier.send(7, 64);
    await until('the barrier', () => later.answers.length === 1 && seen.length > 0);
    barrier.close();
    t.same(
      seen.map(({ sequence }) => sequence),
      [7],
    );
    t.same([closed.answers, closed.errors], [[], []]);
  });

  t.test(`${kind}: a flow without a way out says so, for every packet`, { skip }, async (t) => {
    const list = new AnswerList();
    // the limited broadcast address: a socket without SO_BROADCAST may not send there
    const flow = anIcmpEngine(t, { kind }).openEcho({
      target: { address: '255.255.255.255', family: 4 },
      payloadBytes: 16,
      listener: list,
    });
    flow.send(0, 64);
    flow.send(1, 64);
    await until('two errors', () => list.errors.length === 2);
    flow.close();
    t.match(list.errors, [{ name: 'SendError', code: /^(EACCES|ENETUNREACH)$/ }, { name: 'SendError' }]);
    t.same(list.answers, []);
  });

  t.test(
    `${kind}: an exception of a listener is reported to the engine’s owner, and the engine continues`,
    { skip },
    async (t) => {
      const faults: Error[] = [];
      const engine = anIcmpEngine(t, { kind, onFault: (error) => faults.push(error) });
      const onSendError = () => {};
      const broken = engine.openEcho({
        target: v4,
        payloadBytes: 16,
        listener: {
          onSendError,
          onAnswer() {
            throw new Error('broken listener');
          },
        },
      });
      broken.send(0, 64);
      await until('the fault', () => faults.length === 1);
      t.match(faults, [{ message: 'broken listener' }]);
      const list = new AnswerList();
      const flow = engine.openEcho({ target: v4, payloadBytes: 16, listener: list });
      flow.send(0, 64);
      await until('an answer', () => list.answers.length === 1);
    },
  );

  t.test(`${kind}: sockets are shared by flows, and gone with the last one`, { skip }, async (t) => {
    const before = openFileSockets();
    const engine = anIcmpEngine(t, { kind });
    const withEngine = openFileSockets();
    const open = () => engine.openTcp({ target: v4, port: 9, listener: new AnswerList() });
    const flows = [await open(), await open(), await open()];
    t.equal(openFileSockets(), withEngine + 1, 'one raw TCP socket for three flows');
    for (const flow of flows) flow.close();
    await until('the raw TCP socket is closed', () => openFileSockets() === withEngine);
    const udp = await engine.openUdp({ target: v4, port: 33434, listener: new AnswerList() });
    udp.close();
    await until('the UDP sockets are closed', () => openFileSockets() === withEngine);
    engine.close();
    engine.close();
    await until('all sockets are closed', () => openFileSockets() === before);
  });
}

interface SeenRequest {
  readonly sequence: number;
  readonly ttl: number;
}

/** Echo requests to one loopback address, in the order they arrive. */
function watchRequests(t: Test, address: string): SeenRequest[] {
  const seen: SeenRequest[] = [];
  const socket = rawSocket.createSocket({
    addressFamily: rawSocket.AddressFamily.IPv4,
    protocol: rawSocket.Protocol.ICMP,
  });
  socket.on('message', (packet: Buffer) => {
    const destination = [...packet.subarray(16, 20)].join('.');
    if (destination === address && packet[20] === 8)
      seen.push({ sequence: packet.readUInt16BE(26), ttl: packet.readUInt8(8) });
  });
  t.teardown(() => socket.close());
  return seen;
}
