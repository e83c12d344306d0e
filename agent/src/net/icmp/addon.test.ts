import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { missingForRawSockets, openFileSockets } from '../../../test/_support/raw-sockets.js';
import { until } from '../../../test/_support/until.js';
import {
  type AddonSocket,
  type AddonSocketOptions,
  addonEvents,
  batchHead,
  loadAddon,
  maxSlots,
  perPacket,
} from './addon.js';
import { EchoRequest } from './echo.js';

const skip = missingForRawSockets();
const path = createRequire(import.meta.url).resolve('#icmp-socket');
const options: AddonSocketOptions = { family: 4, isRaw: 1, protocol: 1, isSendOnly: 0, filter: null };

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
  for (let count = 0; count < 50; count += 1) socket.send(new EchoRequest(4, 1, 16).bytes, '127.0.0.1', 64);
  await until('the callback', () => calls > 0);
  await until('no socket is left', () => openFileSockets() <= before);
  t.equal(socket.send(Buffer.alloc(8), '127.0.0.1', 64), -9);
  t.equal(calls, 1);
});

t.test('a worker thread has sockets of its own; ended in the middle, it takes them along', { skip }, async (t) => {
  const code = `
    const { workerData, parentPort } = require('node:worker_threads');
    const { open } = require(workerData);
    let rounds = 0;
    const [bytes, meta] = [Buffer.alloc(32 * 256), new Float64Array(132)];
    const request = Buffer.from('0800f7ff00000000', 'hex');
    const socket = open({ family: 4, isRaw: 1, protocol: 1, isSendOnly: 0, filter: null }, () => {
      socket.receive(bytes, meta, []);
      socket.send(request, '127.0.0.1', 64);
      if (++rounds === 100) parentPort.postMessage('running');
    });
    socket.watch(1);
    socket.send(request, '127.0.0.1', 64);`;
  const before = openFileSockets();
  const workers = [1, 2, 3].map(() => new Worker(code, { eval: true, workerData: path }));
  await Promise.all(
    workers.map((worker) => new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))),
  );
  t.equal(openFileSockets(), before + 3);
  await Promise.all(workers.map((worker) => worker.terminate()));
  await until('no socket is left', () => openFileSockets() <= before);
});

t.test('no argument of the wrong kind gets past the door', { skip }, async (t) => {
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
      t.throws(() => Reflect.apply(open, null, [a, b]), TypeError);
    }
  for (const events of [-1, 4, 8, 'x']) t.throws(() => Reflect.apply(socket.watch, socket, [events]), TypeError);
});

t.test('nothing is sent to a group of machines, nor to what is no address', { skip }, async (t) => {
  const { open } = loadAddon();
  const request = Buffer.alloc(8);
  for (const [family, addresses] of [
    [4, ['224.0.0.1', '239.255.255.250', '255.255.255.255', '::1', '127.1', '', 'localhost', '1'.repeat(100)]],
    [6, ['ff02::1', 'ff0e::1', '127.0.0.1', '', 'fe80::1%lo', ':'.repeat(100)]],
  ] as const) {
    const socket = open({ ...options, family, protocol: family === 4 ? 1 : 58 }, () => {});
    for (const address of addresses) t.ok(socket.send(request, address, 64) < 0, `"${address}"`);
    socket.close();
  }
});

t.test('a packet that is longer than its slot is cut, and leaves its neighbours alone', { skip }, async (t) => {
  const socket = loadAddon().open({ ...options, filter: null }, () => {});
  t.teardown(() => socket.close());
  const request = new EchoRequest(4, 0x5641, 1000);
  socket.send(request.bytes, '127.0.0.1', 64);
  socket.send(request.bytes, '127.0.0.1', 64);
  const { count, bytes, meta } = receive(socket, 2);
  t.equal(count, 2);
  for (const slot of [0, 1]) {
    t.equal(meta[batchHead.length + slot * perPacket.length + perPacket.bytes], 256);
    t.equal(bytes.readUInt8(slot * 256), 0x45);
    t.equal(bytes.readUInt16BE(slot * 256 + 24), 0x5641);
  }
});
