import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { AnswerList } from '../../../test/_support/raw-sockets.js';
import { internetChecksum } from './checksum.js';
import { EchoFlow } from './echo-flow.js';
import { FlowTable } from './flow-table.js';
import { decodeIcmpV4, decodeIcmpV6 } from './message.js';
import { PortFlow, tcpLabelling, udpLabelling } from './port-flow.js';
import type { RawPacket } from './raw-channel.js';

const families = [
  { family: 4, target: '10.0.0.9', source: '10.0.0.2', router: '10.0.0.1', icmp: 1, headerBytes: 20 },
  { family: 6, target: 'fd00::9', source: 'fd00::2', router: 'fd00::1', icmp: 58, headerBytes: 40 },
] as const;
type Road = (typeof families)[number];

/** An echo, a UDP and a TCP flow of one family, each with packets 0 to 2 sent: how they left, and what was heard. */
function sentFlows({ family, target, source }: Road) {
  const list = new AnswerList();
  const table = new FlowTable();
  const packets: Buffer[] = [];
  const send = (packet: RawPacket) => {
    packet.prepare();
    packet.onSent(0);
    packets.push(Buffer.from(packet.bytes));
  };
  const parts = { channel: { send, close: () => {} }, table };
  const goal = { target: { address: target, family }, listener: list };
  const echo = new EchoFlow(parts, { ...goal, payloadBytes: 16 });
  const flows = [udpLabelling(7), tcpLabelling(7)].map((labelling) => {
    const ends = { labelling, source: { address: source, port: 61000 }, release: () => {} };
    const flow = new PortFlow({ ...parts, ...ends }, { ...goal, port: 33434 });
    table.addPort(labelling.protocol, 61000, flow);
    return flow;
  });
  for (const index of [0, 1, 2]) for (const flow of [echo, ...flows]) flow.send(index, 1);
  return { list, table, packets };
}

/** The bytes as a raw socket would bring them. */
function dispatch({ family, router }: Road, table: FlowTable, message: Buffer): void {
  const decoded = family === 4 ? decodeIcmpV4(message) : decodeIcmpV6(message);
  if (decoded !== null) table.dispatchMessage(decoded, { from: router, atMs: 1, hopLimit: null });
}

/** Time exceeded about a packet of ours, the quote as a router makes it; IPv4 with its header, checksums right. */
function timeExceeded({ family, icmp, headerBytes }: Road, destination: Buffer, packet: Buffer, n: number): Buffer {
  const quoted = Buffer.alloc(headerBytes);
  quoted[0] = family === 4 ? 0x45 : 0x60;
  quoted[family === 4 ? 9 : 6] = [icmp, 17, 6][n % 3] ?? 0;
  destination.copy(quoted, headerBytes - destination.length);
  const body = Buffer.concat([Buffer.from([family === 4 ? 11 : 3, 0, 0, 0, 0, 0, 0, 0]), quoted, packet]);
  return family === 4 ? aroundV4(body) : body;
}

function aroundV4(body: Buffer): Buffer {
  if (body.length < 8) return body;
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header[9] = 1;
  body.writeUInt16BE(0, 2);
  body.writeUInt16BE(internetChecksum(body), 2);
  return Buffer.concat([header, body]);
}

/** Destination of the packets of a road, as encoded in them. */
function destinationOf({ family }: Road): Buffer {
  return Buffer.from(family === 4 ? '0a000009' : 'fd000000000000000000000000000009', 'hex');
}

t.test('arbitrary bytes match no packet that was sent', async (t) => {
  for (const road of families) {
    const { list, table } = sentFlows(road);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 3 }), (bytes, kind) => {
        const message = Buffer.from(bytes);
        if (message.length > 0 && kind < 3) message[0] = (road.family === 4 ? [0, 3, 11] : [129, 1, 3])[kind] ?? 0;
        dispatch(road, table, road.family === 4 ? aroundV4(message) : message);
      }),
      { numRuns: rounds(3000) },
    );
    t.same(list.answers, []);
  }
});

t.test('a quote matches exactly the packet it quotes, and none when a telling bit is turned', async (t) => {
  for (const road of families) {
    const { list, table, packets } = sentFlows(road);
    const destination = destinationOf(road);
    for (const [n, packet] of packets.entries()) {
      dispatch(road, table, timeExceeded(road, destination, packet, n));
      t.match(list.answers.slice(n), [{ index: Math.floor(n / 3), name: 'time_exceeded' }], `packet ${n}`);
      for (const bit of matchedBits(n)) {
        const turned = Buffer.from(packet.subarray(0, 8));
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        dispatch(road, table, timeExceeded(road, destination, turned, n));
      }
    }
    const stranger = Buffer.from(destination).fill(8, destination.length - 1);
    for (const [n, packet] of packets.entries()) dispatch(road, table, timeExceeded(road, stranger, packet, n));
    t.equal(list.answers.length, packets.length, 'nothing about a changed packet or another destination');
  }
});

/** Bits of the first eight bytes that no other packet of a flow has otherwise: type and identifier, or the ports. */
function matchedBits(packet: number): number[] {
  return packet % 3 === 0 ? [0, 1, 2, 3, 4, 5, 6, 7, 32, 39, 40, 47] : [0, 7, 8, 15, 16, 23, 24, 31];
}
