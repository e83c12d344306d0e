import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { decodeReply, encodeRequest } from './packet.js';
import { isUnsynchronised, kissCode, referenceOf, stratumOf } from './reference.js';
import { sampleOf } from './sample.js';
import { differenceMs, toTimestamp } from './timestamp.js';

const eraMs = 2 ** 32 * 1000;

t.test('an answer is read as RFC 5905 draws it', async (t) => {
  // captured from chronyd 4.3 (local stratum 3) answering a request whose transmit timestamp was 0x0123456789abcdef
  const packet = Buffer.from(
    '240300e700000000000000007f7f0101eeac141ddd9c03960123456789abcdefeeac141f27f21a09eeac141f29197554',
    'hex',
  );
  const reply = decodeReply(packet);
  t.match(reply, {
    leap: 'none',
    version: 4,
    stratum: 3,
    poll: 0,
    precision: -25,
    rootDelayMs: 0,
    rootDispersionMs: 0,
  });
  t.equal(reply?.origin, 0x0123456789abcdefn);
  t.equal(reply?.receivedAt, 0xeeac141f27f21a09n);
  t.equal(reply?.sentAt, 0xeeac141f29197554n);
  t.equal(reply && referenceOf(reply), '127.127.1.1');
});

t.test('any bytes decode or do not, and decoded packets can be reported and measured', async (t) => {
  const wall = { offsetMs: Date.UTC(2026, 0, 1), errorMs: 0.01 };
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 0, maxLength: 80 }), (bytes) => {
      const packet = Buffer.from(bytes);
      if (packet.length > 0) packet.writeUInt8(((packet[0] ?? 0) & 0xf8) | 4, 0);
      const reply = decodeReply(packet);
      t.equal(reply === null, packet.length < 48 || ((packet[0] ?? 0) & 0x38) === 0);
      if (reply === null) return;
      t.ok(stratumOf(reply) >= 1 && stratumOf(reply) <= 16);
      t.match(referenceOf(reply), /^[\x21-\x7e]{1,4}$|^(\d{1,3}\.){3}\d{1,3}$/);
      t.match(kissCode(reply) ?? 'none', /^[\x21-\x7e]{1,4}$/);
      t.type(isUnsynchronised(reply), 'boolean');
      const { offsetMs, delayMs } = sampleOf(reply, { sentAtMs: 5, receivedAtMs: 6, wall });
      t.ok(Number.isFinite(offsetMs) && Math.abs(offsetMs) <= eraMs / 2 + 1);
      t.ok(Number.isFinite(delayMs) && delayMs >= 0);
    }),
    { numRuns: rounds(2000) },
  );
  t.equal(decodeReply(encodeRequest(1n)), null, 'a request is no answer');
});

t.test('a reference is a name at stratum 0 and 1, an address above', async (t) => {
  const reference = (stratum: number, bytes: readonly number[]) => {
    const packet = Buffer.alloc(48);
    packet.writeUInt8(0x24, 0);
    packet.writeUInt8(stratum, 1);
    Buffer.from(bytes).copy(packet, 12);
    const reply = decodeReply(packet);
    return reply && referenceOf(reply);
  };
  t.equal(reference(1, [...Buffer.from('GPS\0')]), 'GPS');
  t.equal(reference(0, [...Buffer.from('RATE')]), 'RATE');
  t.equal(reference(2, [...Buffer.from('GPS\0')]), '71.80.83.0');
  t.equal(reference(1, [1, 2, 3, 4]), '1.2.3.4', 'no name');
  t.equal(reference(1, [0x1b, 0x5b, 0x32, 0x4a]), '27.91.50.74', 'nothing that steers a terminal');
  t.equal(reference(0, [0, 0, 0, 0]), '0.0.0.0');
});

t.test('timestamps of two eras are as far apart as they are', async (t) => {
  // the 32 bits of seconds run over on 2036-02-07 at 06:28:16
  const before = Date.UTC(2036, 1, 7, 6, 28, 10);
  const after = Date.UTC(2036, 1, 7, 6, 28, 20);
  t.equal(toTimestamp(after) >> 32n, 4n, 'era 1 begins at 0');
  t.equal(differenceMs(toTimestamp(after), toTimestamp(before)), 10_000);
  t.equal(differenceMs(toTimestamp(before), toTimestamp(after)), -10_000);
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 2e13, noNaN: true }),
      fc.double({ min: -2e12, max: 2e12, noNaN: true }),
      (at, ms) => {
        const later = Math.max(0, at + ms);
        t.ok(Math.abs(differenceMs(toTimestamp(later), toTimestamp(at)) - (later - at)) < 0.01);
      },
    ),
  );
});

t.test('offset and delay are those of RFC 5905 section 8', async (t) => {
  const wallMs = Date.UTC(2026, 0, 1);
  const packet = Buffer.alloc(48);
  packet.writeUInt8(0x24, 0);
  packet.writeUInt8(1, 1);
  // there 30 ms, 5 ms in the server, back 10 ms; the server is 100 ms behind
  packet.writeBigUInt64BE(toTimestamp(wallMs + 30 - 100), 32);
  packet.writeBigUInt64BE(toTimestamp(wallMs + 35 - 100), 40);
  const reply = decodeReply(packet);
  if (reply === null) throw new Error('it is an answer');
  const sample = sampleOf(reply, { sentAtMs: 7, receivedAtMs: 52, wall: { offsetMs: wallMs - 7, errorMs: 0.5 } });
  t.ok(Math.abs(sample.delayMs - 40) < 0.001);
  t.ok(Math.abs(sample.offsetMs - (-100 + 10)) < 0.001, 'wrong by half of what the ways differ');
  t.ok(Math.abs(sample.offsetErrorMs - 20.5) < 0.001, 'and no more than it says');
});
