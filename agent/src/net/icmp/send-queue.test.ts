import { constants } from 'node:os';
import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { perSent } from './addon.js';
import type { RawPacket } from './raw-channel.js';
import { SendQueue } from './send-queue.js';

const { EAGAIN, EHOSTUNREACH, ENOBUFS, EPERM } = constants.errno;
const slots = 4;

/** A system that answers packets in turns as given: 0 takes one, an errno refuses it. What it took is in `left`. */
function aSystem(answers: readonly number[]) {
  const left: { to: string; text: string; hopLimit: number; atMs: number }[] = [];
  let asked = 0;
  const send = (bytes: Uint8Array, meta: Float64Array, count: number): number => {
    let offset = 0;
    for (let slot = 0; slot < count; slot += 1) {
      const [length = 0, hopLimit = 0] = meta.subarray(slot * perSent.length);
      const errno = answers[asked++] ?? 0;
      if (errno === EAGAIN) return slot;
      meta[slot * perSent.length + perSent.atMs] = errno === 0 ? asked : -errno;
      const text = Buffer.from(bytes.subarray(offset + 4, offset + 4 + length)).toString();
      if (errno === 0) left.push({ to: bytes.subarray(offset, offset + 4).join('.'), text, hopLimit, atMs: asked });
      offset += 4 + length;
    }
    return count;
  };
  return { socket: { send }, left };
}

/** A queue, and what its packets heard: when they left, on a clock 1000 ms ahead of the system's, or why not. */
function aQueue(answers: readonly number[]) {
  const { socket, left } = aSystem(answers);
  const heard = new Map<number, number | string>();
  const numbers = new Map<RawPacket, number>();
  const record = (number: number, what: number | string) => heard.set(number, heard.has(number) ? 'told twice' : what);
  const queue = new SendQueue({
    socket,
    slots,
    clockOffsetMs: 1000,
    onRefused: (packet, error) => record(numbers.get(packet) ?? -1, error.code),
  });
  // all share one buffer, as the packets of a flow do
  const bytes = Buffer.alloc(8);
  const push = (number: number, changes: { readonly isCalledOff?: boolean; readonly bytes?: Buffer } = {}) => {
    const packet: RawPacket = {
      bytes: changes.bytes ?? bytes,
      address: '10.0.0.9',
      destination: Buffer.from([10, 0, 0, 9]),
      hopLimit: 1 + number,
      prepare() {
        if (changes.isCalledOff) throw new Error('called off');
        bytes.write(String(number).padStart(8));
      },
      onSent: (atMs) => record(number, atMs),
      onError: () => t.fail('errors go to onRefused'),
    };
    numbers.set(packet, number);
    queue.push(packet);
  };
  return { queue, push, left, heard };
}

t.test('every packet leaves once, in order, or gets its own error, whenever the system has room', async (t) => {
  const answer = fc.constantFrom(0, 0, 0, EAGAIN, EHOSTUNREACH, ENOBUFS, EPERM);
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 40 }), fc.integer({ min: 0, max: 25 }), (answers, count) => {
      const { queue, push, left, heard } = aQueue(answers);
      for (let number = 0; number < count; number += 1) push(number, { isCalledOff: number % 7 === 6 });
      for (let room = 0; room <= answers.length && !queue.isEmpty; room += 1) queue.flush();
      t.ok(queue.isEmpty && heard.size === count && ![...heard.values()].includes('told twice'));
      t.same(
        left.map(({ text, atMs }) => heard.get(Number(text)) === atMs + 1000),
        left.map(() => true),
      );
      const numbers = left.map(({ text }) => Number(text));
      t.same(
        numbers,
        [...numbers].sort((a, b) => a - b),
      );
      t.ok(left.every(({ to, text, hopLimit }) => to === '10.0.0.9' && hopLimit === 1 + Number(text)));
    }),
    { numRuns: rounds(300) },
  );
});

t.test('errors are of the packets that the system refused, and of no others', async (t) => {
  const { queue, push, left, heard } = aQueue([0, EHOSTUNREACH, 0, ENOBUFS, 0, EPERM]);
  for (let number = 0; number < 6; number += 1) push(number);
  queue.flush();
  t.same([...heard.values()], [1001, 'EHOSTUNREACH', 1003, 'ENOBUFS', 1005, 'EPERM']);
  t.equal(left.length, 3);
});

t.test('a cancelled packet takes no room, and one too long for the queue gets an error', async (t) => {
  const { queue, push, left, heard } = aQueue([]);
  push(0, { isCalledOff: true });
  push(1, { bytes: Buffer.alloc(4000) });
  push(2);
  queue.flush();
  t.same(
    [...heard],
    [
      [0, 'UNKNOWN'],
      [1, 'EMSGSIZE'],
      [2, 1001],
    ],
  );
  t.match(left, [{ text: '       2', hopLimit: 3 }]);
});
