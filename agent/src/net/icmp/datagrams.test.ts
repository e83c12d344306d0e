import { randomBytes, randomInt } from 'node:crypto';
import t from 'tap';
import { addressBytes, type Family } from './address.js';
import { internetChecksum, pseudoHeaderSum } from './checksum.js';
import { decodeTcpReply, encodeTcpSyn, encodeUdp, type FlowEnds } from './datagrams.js';
import { resetV4 } from './testdata/linux-answers.js';

const flows: readonly FlowEnds[] = [endsOf(4, '10.71.1.1', '10.71.3.2'), endsOf(6, 'fd71:1::1', 'fd71:3::2')];

for (const ends of flows) {
  t.test(`IPv${ends.family} UDP datagram has the checksum that was asked for, and it is right`, async (t) => {
    for (const checksum of [1, 2, 0x1234, 0x8000, 0xfffe]) {
      const bytes = encodeUdp(ends, checksum, 16);
      t.equal(bytes.length, 24);
      t.equal(bytes.readUInt16BE(4), 24);
      t.equal(bytes.readUInt16BE(6), checksum);
      t.equal(internetChecksum(bytes, pseudoHeaderSum(ends.source, ends.destination, 17, bytes.length)), 0);
    }
  });

  t.test(`IPv${ends.family} UDP datagrams of one flow differ in nothing a load balancer looks at`, async (t) => {
    const [first, second] = [encodeUdp(ends, 7, 16), encodeUdp(ends, 8, 16)];
    t.equal(first.toString('hex', 0, 6), second.toString('hex', 0, 6));
  });

  t.test(`IPv${ends.family} SYN has a right checksum and one option`, async (t) => {
    const bytes = encodeTcpSyn(ends, 0xfedcba98);
    t.equal(bytes.readUInt32BE(4), 0xfedcba98);
    t.equal(bytes.readUInt16BE(12), 0x6002);
    t.equal(bytes.toString('hex', 20), ends.family === 4 ? '020405b4' : '020405a0');
    t.equal(internetChecksum(bytes, pseudoHeaderSum(ends.source, ends.destination, 6, bytes.length)), 0);
  });
}

t.test('reads the reset that Linux sent', async (t) => {
  const expected = { name: 'tcp_rst', sourcePort: 80, destinationPort: 63468, acknowledgement: 0x5b575ce6 };
  t.same(decodeTcpReply(resetV4.subarray(20)), expected);
});

t.test('only SYN+ACK and RST+ACK answer a SYN', async (t) => {
  const expected: Record<number, string> = { 0x12: 'tcp_syn_ack', 0x14: 'tcp_rst', 0x52: 'tcp_syn_ack' };
  for (const bits of [0x00, 0x02, 0x04, 0x10, 0x11, 0x12, 0x14, 0x16, 0x18, 0x52]) {
    const segment = Buffer.alloc(20);
    segment[13] = bits;
    t.equal(decodeTcpReply(segment)?.name, expected[bits], `flags ${bits.toString(16)}`);
  }
});

t.test('no bytes make the decoder throw', async (t) => {
  for (let round = 0; round < 5000; round += 1) decodeTcpReply(randomBytes(randomInt(40)));
  t.pass();
});

function endsOf(family: Family, source: string, destination: string): FlowEnds {
  return {
    family,
    source: addressBytes(source, family),
    destination: addressBytes(destination, family),
    sourcePort: 47247,
    destinationPort: 33434,
  };
}
