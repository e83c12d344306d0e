import { createRequire } from 'node:module';
import { constants } from 'node:os';
import { Worker } from 'node:worker_threads';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { openFileSockets } from '../../../test/_support/raw-sockets.js';
import {
  type AddonSocket,
  type AddonSocketOptions,
  addonEvents,
  batchHead,
  loadAddon,
  maxSlots,
  perPacket,
  perSent,
} from './addon.js';
import { addressBytes, type Family } from './address.js';
import { EchoRequest } from './echo.js';
import { answersOnly } from './icmp-filter.js';
import { protocols } from './protocols.js';

const skip = missing('raw sockets');
const path = createRequire(import.meta.url).resolve('#icmp-socket');
const options: AddonSocketOptions = { family: 4, isRaw: 1, protocol: 1, isSendOnly: 0, filter: null };

/** A message to send, its destination and its hop limit. */
type Outgoing = readonly [bytes: Buffer, address: string, hopLimit?: number];

/** Sends packets in one call. An outcome is 0 for a packet that left, otherwise its negative errno. */
function send(socket: AddonSocket, family: Family, packets: readonly Outgoing[]) {
  const bytes = Buffer.concat(packets.flatMap(([message, address]) => [addressBytes(address, family), message]));
  const meta = Float64Array.from(packets.flatMap(([{ length }, , hopLimit = 64]) => [length, hopLimit, 0]));
  const count = socket.send(bytes, meta, packets.length);
  const sentAtMs = packets.map((_, slot) => meta[slot * perSent.length + perSent.atMs] ?? 0);
  return { count, sentAtMs, outcomes: sentAtMs.map((at) => Math.min(0, at)) };
}

/** Reads one batch. */
function receive(socket: AddonSocket, slots = maxSlots) {
  const bytes = Buffer.alloc(slots * 256);
  const meta = new Float64Array(batchHead.length + slots * perPacket.length);
  const sources: string[] = [];
  return { count: socket.receive(bytes, meta, sources), bytes, meta, sources };
}

t.test('a socket may be closed inside its own callback, and twice, and is silent from then on', { skip }, async (t) => {
  const before = openFileSockets();
  let calls = 0;
  const socket: AddonSocket = loadAddon().open(options, () => {
    calls += 1;
    socket.close();
    socket.close();
    t.equal(receive(socket).count, -9, 'EBADF');
  });
  socket.watch(addonEvents.readable);
  for (let count = 0; count < 50; count += 1) send(socket, 4, [[new EchoRequest(4, 1, 16).bytes, '127.0.0.1']]);
  await until('the callback', () => calls > 0);
  await until('no socket is left', () => openFileSockets() <= before);
  t.equal(send(socket, 4, [[Buffer.alloc(8), '127.0.0.1']]).count, -9);
  t.equal(calls, 1);
});

t.test('a worker thread has sockets of its own; ended in the middle, it takes them along', { skip }, async (t) => {
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    const { open } = require(workerData);
    let rounds = 0;
    const [bytes, meta] = [Buffer.alloc(32 * 256), new Float64Array(132)];
    const request = Buffer.from('7f0000010800f7ff00000000', 'hex');
    const send = () => socket.send(request, Float64Array.of(8, 64, 0), 1);
    const socket = open({ family: 4, isRaw: 1, protocol: 1, isSendOnly: 0, filter: null }, () => {
      socket.receive(bytes, meta, []);
      send();
      if (++rounds === 100) parentPort.postMessage('running');
    });
    socket.watch(1);
    send();`;
  const before = openFileSockets();
  const workers = [1, 2, 3].map(() => new Worker(code, { eval: true, workerData: path }));
  await Promise.all(
    workers.map((worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))),
  );
  t.equal(openFileSockets(), before + 3);
  await Promise.all(workers.map((worker) => worker.terminate()));
  await until('no socket is left', () => openFileSockets() <= before);
});

t.test('arguments of a wrong type are refused', { skip }, async (t) => {
  const { open } = loadAddon();
  const wrong: unknown[] = [
    undefined,
    null,
    1,
    '',
    {},
    [],
    Symbol('x'),
    new Float64Array(2),
    Buffer.alloc(3),
    () => {},
  ];
  const socket = open(options, () => {});
  t.teardown(() => socket.close());
  for (const name of ['watch', 'send', 'receive'])
    t.throws(() => Reflect.apply(Reflect.get(socket, name), null, []), TypeError);
  for (const a of wrong)
    for (const b of wrong) {
      for (const name of ['send', 'receive'])
        t.throws(() => Reflect.apply(Reflect.get(socket, name), socket, [a, b, a]), TypeError);
      t.throws(() => Reflect.apply(socket.send, socket, [Buffer.alloc(8), a, b]), TypeError);
      t.throws(() => Reflect.apply(open, null, [a, b]), TypeError);
    }
  for (const events of [-1, 4, 8, 'x']) t.throws(() => Reflect.apply(socket.watch, socket, [events]), TypeError);
});

t.test('a batch is never read beyond its end', { skip }, async (t) => {
  const socket = loadAddon().open(options, () => {});
  t.teardown(() => socket.close());
  const bytes = Buffer.alloc(24);
  for (const [meta, count] of [
    [[8, 64, 0], 2],
    [[8, 64, 0], -1],
    [[21, 64, 0], 1],
    [[-1, 64, 0], 1],
    [[Number.NaN, 64, 0], 1],
    [[2 ** 53, 64, 0], 1],
    [[Number.POSITIVE_INFINITY, 64, 0], 1],
    [[], 1],
  ] as const)
    t.throws(() => socket.send(bytes, Float64Array.from(meta), count), TypeError, `${meta} x ${count}`);
  t.throws(() => socket.send(Buffer.alloc(3), Float64Array.of(0, 64, 0), 1), TypeError, 'no room for the address');
  const moved = Buffer.from(new ArrayBuffer(24));
  structuredClone(moved.buffer, { transfer: [moved.buffer] });
  t.throws(() => socket.send(moved, Float64Array.of(8, 64, 0), 1), TypeError, 'bytes that are somebody else’s by now');
  t.equal(socket.send(bytes, new Float64Array(), 0), 0, 'nothing');
});

t.test('each packet of a batch has its own outcome, and those that leave keep their order', { skip }, async (t) => {
  const socket = loadAddon().open({ ...options, filter: answersOnly(protocols.icmp)?.mask ?? null }, () => {});
  t.teardown(() => socket.close());
  const numbered = (sequence: number) => {
    const request = new EchoRequest(4, 0x5642, 16);
    request.setSequence(sequence);
    return request.bytes;
  };
  const { EACCES, EINVAL, EMSGSIZE } = constants.errno;
  const { count, sentAtMs, outcomes } = send(socket, 4, [
    [numbered(0), '127.0.0.1'],
    [numbered(1), '224.0.0.1'],
    [numbered(2), '127.0.0.1'],
    [numbered(3), '255.255.255.255'],
    [numbered(4), '127.0.0.1', 0],
    [numbered(5), '127.0.0.1', 256],
    [numbered(6), '127.0.0.1', Number.NaN],
    [Buffer.alloc(70_000), '127.0.0.1'],
    [numbered(7), '127.0.0.1'],
  ]);
  t.equal(count, 9);
  t.same(outcomes, [0, -EACCES, 0, -EACCES, -EINVAL, -EINVAL, -EINVAL, -EMSGSIZE, 0]);
  const { count: received, bytes, meta } = receive(socket);
  const slots = Array.from({ length: received }, (_, slot) => slot);
  const ours = slots.filter((slot) => bytes.readUInt16BE(slot * 256 + 24) === 0x5642);
  t.same(
    ours.map((slot) => bytes.readUInt16BE(slot * 256 + 26)),
    [0, 2, 7],
  );
  const left = sentAtMs.filter((at) => at > 0);
  const arrived = ours.map((slot) => meta[batchHead.length + slot * perPacket.length + perPacket.atMs] ?? 0);
  for (const times of [left, arrived])
    t.same(
      times,
      [...new Set(times)].sort((a, b) => a - b),
      'a time of its own each',
    );
});

t.test('no packet is sent to a multicast or broadcast address', { skip }, async (t) => {
  const { open } = loadAddon();
  const request = Buffer.alloc(8);
  for (const [family, addresses] of [
    [4, ['224.0.0.1', '239.255.255.250', '255.255.255.255']],
    [6, ['ff02::1', 'ff0e::1']],
  ] as const) {
    const socket = open({ ...options, family, protocol: family === 4 ? 1 : 58 }, () => {});
    for (const address of addresses)
      t.same(send(socket, family, [[request, address]]).outcomes, [-constants.errno.EACCES], address);
    socket.close();
  }
});

t.test('a packet that is longer than its slot is cut, and leaves its neighbours alone', { skip }, async (t) => {
  const socket = loadAddon().open({ ...options, filter: null }, () => {});
  t.teardown(() => socket.close());
  const request = new EchoRequest(4, 0x5641, 1000);
  send(socket, 4, [
    [request.bytes, '127.0.0.1'],
    [request.bytes, '127.0.0.1'],
  ]);
  const { count, bytes, meta } = receive(socket);
  const slots = Array.from({ length: count }, (_, slot) => slot);
  // a raw socket also gets the packets of other programs
  const ours = slots.filter((slot) => bytes.readUInt16BE(slot * 256 + 24) === 0x5641);
  t.ok(ours.length >= 2);
  for (const slot of ours) {
    t.equal(meta[batchHead.length + slot * perPacket.length + perPacket.bytes], 256);
    t.equal(bytes.readUInt8(slot * 256), 0x45);
  }
});
