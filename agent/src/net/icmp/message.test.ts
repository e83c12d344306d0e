import { randomBytes, randomInt } from 'node:crypto';
import t from 'tap';
import { internetChecksum } from './checksum.js';
import { decodeIcmpV4, decodeIcmpV6, type IcmpMessage } from './message.js';
import * as linux from './testdata/linux-answers.js';

const hexOf = (address: string) => Buffer.from(address, 'hex');
const b4 = hexOf('0a470302');
const b6 = hexOf('fd710003000000000000000000000002');

const cases: readonly {
  readonly name: string;
  readonly message: IcmpMessage | null;
  readonly expected: object | null;
}[] = [
  {
    name: 'IPv4 echo reply',
    message: withPayload(decodeIcmpV4(linux.echoReplyV4)),
    expected: {
      kind: 'echo-reply',
      identifier: 0x67ce,
      sequence: 2,
      payload: hexOf('ee5cab5c2f0be64b1e9e995ff550fffd'),
    },
  },
  {
    name: 'IPv4 time exceeded for an echo request',
    message: decodeIcmpV4(linux.echoExpiredV4),
    expected: {
      kind: 'error',
      name: 'time_exceeded',
      quote: { kind: 'echo', identifier: 0x67ce, sequence: 0, destination: b4 },
    },
  },
  {
    name: 'IPv4 time exceeded for UDP',
    message: decodeIcmpV4(linux.udpExpiredV4),
    expected: {
      name: 'time_exceeded',
      quote: { kind: 'udp', sourcePort: 47247, destinationPort: 33434, label: 0xe049, destination: b4 },
    },
  },
  {
    name: 'IPv4 port unreachable',
    message: decodeIcmpV4(linux.udpRefusedV4),
    expected: {
      name: 'port_unreachable',
      type: 3,
      code: 3,
      quote: { kind: 'udp', sourcePort: 47247, destinationPort: 33434, label: 0xe04a },
    },
  },
  {
    name: 'IPv4 time exceeded for a SYN',
    message: decodeIcmpV4(linux.synExpiredV4),
    expected: {
      name: 'time_exceeded',
      quote: { kind: 'tcp', sourcePort: 63468, destinationPort: 80, label: 0x5b575ce3 },
    },
  },
  {
    name: 'IPv4 network unreachable',
    message: decodeIcmpV4(linux.noRouteV4),
    expected: {
      name: 'net_unreachable',
      quote: { kind: 'echo', identifier: 0x7f93, sequence: 0, destination: hexOf('0a47c801') },
    },
  },
  {
    name: 'IPv6 echo reply',
    message: withPayload(decodeIcmpV6(linux.echoReplyV6)),
    expected: {
      kind: 'echo-reply',
      identifier: 0xdec4,
      sequence: 2,
      payload: hexOf('63d9bc9f0aa66addf44df90d17bcfffd'),
    },
  },
  {
    name: 'IPv6 time exceeded for an echo request',
    message: decodeIcmpV6(linux.echoExpiredV6),
    expected: { name: 'time_exceeded', quote: { kind: 'echo', identifier: 0xdec4, sequence: 1, destination: b6 } },
  },
  {
    name: 'IPv6 port unreachable',
    message: decodeIcmpV6(linux.udpRefusedV6),
    expected: {
      name: 'port_unreachable',
      quote: { kind: 'udp', sourcePort: 41698, destinationPort: 33434, label: 0x74e0, destination: b6 },
    },
  },
  {
    name: 'IPv6 time exceeded for a SYN',
    message: decodeIcmpV6(linux.synExpiredV6),
    expected: {
      name: 'time_exceeded',
      quote: { kind: 'tcp', sourcePort: 61541, destinationPort: 80, label: 0xe316a443 },
    },
  },
  {
    name: 'IPv6 no route',
    message: decodeIcmpV6(linux.noRouteV6),
    expected: { name: 'no_route', quote: { kind: 'echo', destination: hexOf('fd710200000000000000000000000001') } },
  },
  {
    name: 'a neighbour solicitation answers nothing',
    message: decodeIcmpV6(linux.neighbourSolicitation),
    expected: null,
  },
];

for (const { name, message, expected } of cases) {
  t.test(`reads what Linux sent: ${name}`, async (t) => {
    if (expected === null) t.equal(message, null);
    else t.match(message, expected);
  });
}

t.test('an IPv4 message with a wrong checksum is nothing', async (t) => {
  for (let offset = 20; offset < linux.echoReplyV4.length; offset += 1) {
    t.equal(decodeIcmpV4(changed(linux.echoReplyV4, offset, 0x01)), null, `byte ${offset}`);
  }
});

t.test('a later fragment is nothing', async (t) => {
  t.equal(decodeIcmpV4(changed(linux.echoReplyV4, 7, 0x01)), null);
  const quotedFragment = withChecksum(changed(linux.echoExpiredV4, 20 + 8 + 7, 0x01));
  t.equal(decodeIcmpV4(quotedFragment), null, 'quoted');
});

t.test('header options of the quoted packet are skipped', async (t) => {
  const [head, quote] = [linux.echoExpiredV4.subarray(0, 28), linux.echoExpiredV4.subarray(28)];
  const options = Buffer.from('01010101', 'hex');
  const longer = Buffer.concat([Buffer.from([0x46]), quote.subarray(1, 20), options, quote.subarray(20)]);
  t.match(decodeIcmpV4(withChecksum(Buffer.concat([head, longer]))), { quote: { kind: 'echo', identifier: 0x67ce } });
});

t.test('extension headers of the quoted IPv6 packet are skipped, but not for ever', async (t) => {
  const [head, header, echo] = [
    linux.echoExpiredV6.subarray(0, 8),
    linux.echoExpiredV6.subarray(8, 48),
    linux.echoExpiredV6.subarray(48),
  ];
  const hopByHop = (next: number) => Buffer.from([next, 0, 1, 4, 0, 0, 0, 0]);
  const within = (count: number) => {
    const chain = Array.from({ length: count }, (_, i) => hopByHop(i === count - 1 ? 58 : 0));
    return Buffer.concat([head, changed(header, 6, 58), ...chain, echo]);
  };
  t.match(decodeIcmpV6(within(1)), { quote: { kind: 'echo', identifier: 0xdec4 } });
  t.equal(decodeIcmpV6(within(9)), null);
});

// RFC 4950 section 3: one label stack entry, 16001 at the bottom
const extension = Buffer.from('2000c00d0008010103e81b01', 'hex');
const stack = [{ label: 16001, tc: 5, s: 1, ttl: 1 }];

t.test('extensions after the quote are read, and not as part of it', async (t) => {
  const shortV4 = linux.echoExpiredV4.subarray(0, 20 + 8 + 28);
  const v4 = decodeIcmpV4(withChecksum(changed(Buffer.concat([shortV4, extension]), 20 + 5, 7)));
  const shortV6 = linux.echoExpiredV6.subarray(0, 8 + 48);
  const v6 = decodeIcmpV6(changed(Buffer.concat([shortV6, extension]), 4, 6));
  for (const [decoded, identifier] of [
    [v4, 0x67ce],
    [v6, 0xdec4],
  ] as const) {
    t.match(decoded, { name: 'time_exceeded', code: 0, mpls: stack, quote: { kind: 'echo', identifier } });
    t.ok(decoded?.kind === 'error' && decoded.quote.kind === 'echo' && decoded.quote.payload.length === 0);
  }
});

t.test('extensions behind 128 bytes of quote are read although no length says so', async (t) => {
  for (const [packet, start, decode] of [
    [linux.echoExpiredV4, 28, (bytes: Buffer) => decodeIcmpV4(withChecksum(bytes))],
    [linux.echoExpiredV6, 8, decodeIcmpV6],
  ] as const) {
    const padded = Buffer.concat([packet, Buffer.alloc(start + 128 - packet.length)]);
    t.match(decode(Buffer.concat([padded, extension])), { name: 'time_exceeded', mpls: stack });
    t.match(decode(Buffer.concat([padded, changed(extension, 3, 1)])), { name: 'time_exceeded', mpls: [] });
  }
});

t.test('an error keeps its code, even one without a name', async (t) => {
  const message = Buffer.from(linux.udpRefusedV4);
  for (const [code, name] of [
    [13, 'admin_prohibited'],
    [77, 'destination_unreachable'],
  ] as const) {
    message[21] = code;
    t.match(decodeIcmpV4(withChecksum(message)), { name, code });
  }
});

t.test('redirects, source quenches and reassembly timeouts end no packet', async (t) => {
  for (const [type, code] of [
    [5, 1],
    [4, 0],
    [11, 1],
  ] as const) {
    const message = Buffer.from(linux.echoExpiredV4);
    message.set([type, code], 20);
    t.equal(decodeIcmpV4(withChecksum(message)), null, `type ${type} code ${code}`);
  }
});

t.test('truncated at any length, a packet is nothing or the same answer', async (t) => {
  for (const packet of [linux.udpExpiredV4, linux.synExpiredV4, linux.echoExpiredV4]) {
    const whole = decodeIcmpV4(packet);
    for (let length = 0; length < packet.length; length += 1) {
      const message = length < 28 ? packet.subarray(0, length) : withChecksum(Buffer.from(packet.subarray(0, length)));
      const decoded = decodeIcmpV4(message);
      if (decoded !== null) t.equal(decoded.kind, whole?.kind);
      else t.ok(length < 56, `lost at ${length} bytes although 8 bytes are quoted`);
    }
  }
});

t.test('no bytes make the decoders throw', async (t) => {
  const seeds = Object.values(linux);
  for (let round = 0; round < 30_000; round += 1) {
    const seed = seeds[round % seeds.length] ?? Buffer.alloc(0);
    const bytes =
      round % 3 === 0 ? randomBytes(randomInt(120)) : Buffer.from(seed.subarray(0, randomInt(seed.length + 1)));
    for (let flips = randomInt(4); flips > 0 && bytes.length > 0; flips -= 1)
      bytes[randomInt(bytes.length)] = randomInt(256);
    decodeIcmpV6(bytes);
    decodeIcmpV4(bytes.length >= 28 ? withChecksum(bytes) : bytes);
  }
  t.pass();
});

/** The message with its payload as a view of its own, where it has one. */
function withPayload(message: IcmpMessage | null): IcmpMessage | null {
  if (message?.kind !== 'echo-reply') return message;
  return Object.assign(message, { payload: message.bytes.subarray(message.payloadStart) });
}

/** A copy with one byte changed by exclusive or. */
function changed(packet: Buffer, offset: number, mask: number): Buffer {
  const copy = Buffer.from(packet);
  copy[offset] = (copy[offset] ?? 0) ^ mask;
  return copy;
}

/** Corrects the ICMP checksum of an IPv4 packet with a 20-byte header, in place. */
function withChecksum(packet: Buffer): Buffer {
  packet.writeUInt16BE(0, 22);
  packet.writeUInt16BE(internetChecksum(packet.subarray(20)), 22);
  return packet;
}
