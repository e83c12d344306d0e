import { EventEmitter, once } from 'node:events';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { encodeAgentFrame } from '@vantage/shared/protocol/codec.js';
import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import t from 'tap';
import { webSocketPair } from '../../../test/_support/web-socket-pair.js';
import { JobsOut } from '../traffic/jobs-out.js';
import { SilenceWatch } from '../traffic/liveness.js';
import { FrameSocket } from './frame-socket.js';

class QuietSocket extends EventEmitter implements LinkSocket {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  send(): void {}
  close(): void {}
  terminate(): void {}
  pause(): void {}
  resume(): void {}
}

/** A link that is watched, and has a heartbeat of 15 s. */
function aWatchedSocket(socket: LinkSocket = new QuietSocket()) {
  const clock = new FakeClock();
  const silences: number[] = [];
  const frames = new FrameSocket(socket, clock, {
    onFrame: () => {},
    onMalformed: () => {},
    onUnread: () => {},
    onClosed: () => {},
  });
  const intervals = { heartbeatMs: 15_000, busyHeartbeatMs: 1_000 };
  new SilenceWatch({
    clock,
    frames,
    jobs: new JobsOut(clock, () => {}),
    config: () => ({ ...intervals, ownAddresses: [], denied: [], canaries: [], controlUrls: [], leaseSeconds: 86_400 }),
    roundTripMs: () => 0,
    onSilent: (silentMs) => silences.push(silentMs),
  }).look();
  const pass = async (ms: number, bytes: number) => {
    frames.heard(bytes);
    clock.advance(ms);
    await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  };
  return { silences, pass, clock };
}

t.test('a frame that takes minutes on a slow line is a sign of life while it comes', async (t) => {
  const { silences, pass } = aWatchedSocket();
  // 64 kbit/s for two minutes: no frame is whole yet
  for (let second = 0; second < 120; second += 1) await pass(1_000, 8_000);
  t.same(silences, []);
});

t.test('a byte now and then is no sign of life', async (t) => {
  const { silences, pass } = aWatchedSocket();
  for (let second = 0; second < 46; second += 1) await pass(1_000, 1);
  t.same(silences, [45_000]);
});

t.test('a peer whose message broke a rule has a second to read why, and is cut then', async (t) => {
  let cuts = 0;
  const socket = new QuietSocket();
  socket.terminate = () => {
    cuts += 1;
  };
  const { clock } = aWatchedSocket(socket);
  socket.emit('error', new RangeError('Max payload size exceeded'));
  t.equal(cuts, 0);
  clock.advance(1_000);
  t.equal(cuts, 1);
});

t.test('a frame that came while this process stood still is taken before its peer counts as silent', async (t) => {
  const { client, taken } = await webSocketPair(t);
  const { silences, clock } = aWatchedSocket(taken);
  const isTaken = once(taken, 'message');
  // as after a stop: timers that are due come first in a turn of the event loop, then input
  setTimeout(() => {
    client.send(encodeAgentFrame({ heartbeat: { sequence: 1, transmitMs: 1 } }));
    clock.advance(50_000);
  });
  await isTaken;
  await new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)));
  t.same(silences, []);
});
