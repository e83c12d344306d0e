import t from 'tap';
import { AnswerList } from '../../../test/_support/raw-sockets.js';
import { addressBytes } from './address.js';
import { FlowTable } from './flow-table.js';
import type { IcmpError } from './message.js';
import { PortFlow, tcpLabelling, udpLabelling } from './port-flow.js';
import type { RawPacket } from './raw-channel.js';

const target = { address: '10.0.0.9', family: 4 } as const;
const from = target.address;
const [router, other] = ['10.0.0.1', '10.0.0.8'];
const hopLimit = 61;

/** A flow from 10.0.0.2 port 61000 to port 80, whose packets 0 to 2 have left. */
function aFlow(protocol: 'udp' | 'tcp', firstLabel: number) {
  const packets: RawPacket[] = [];
  const list = new AnswerList();
  const channel = { send: (packet: RawPacket) => packets.push(packet), close: () => {} };
  const labelling = protocol === 'udp' ? udpLabelling(firstLabel) : tcpLabelling(firstLabel);
  const source = { address: '10.0.0.2', port: 61000 };
  const parts = { channel, table: new FlowTable(), labelling, source, release: () => {} };
  const flow = new PortFlow(parts, { target, port: 80, listener: list });
  for (const index of [0, 1, 2]) flow.send(index, 10 + index);
  for (const packet of packets) {
    packet.prepare();
    packet.onSent(0);
  }
  return { flow, list, packets };
}

function anError(kind: 'udp' | 'tcp', label: number, changes: { port?: number; destination?: string } = {}): IcmpError {
  const destination = addressBytes(changes.destination ?? target.address, 4);
  const quote = { kind, label, destination, sourcePort: 61000, destinationPort: changes.port ?? 80 };
  return { kind: 'error', name: 'time_exceeded', type: 11, code: 0, quote, mpls: [] };
}

t.test('labels come back as packet numbers, over the end of their range too', async (t) => {
  for (const firstLabel of [0, 1, 0xfffc, 0xfffd, 0xfffe]) {
    const { flow, list, packets } = aFlow('udp', firstLabel);
    for (const { bytes } of packets)
      flow.takeError(anError('udp', bytes.readUInt16BE(6)), { from: router, atMs: 7, hopLimit });
    t.same(
      list.answers.map(({ index, rttMs }) => [index, rttMs]),
      [0, 1, 2].map((index) => [index, 7]),
    );
    t.ok(packets.every(({ bytes }) => bytes.readUInt16BE(6) > 0 && bytes.readUInt16BE(6) < 0xffff));
  }
  for (const firstLabel of [0, 0xfffffffe]) {
    const { flow, list, packets } = aFlow('tcp', firstLabel);
    for (const { bytes } of packets)
      flow.takeError(anError('tcp', bytes.readUInt32BE(4)), { from: router, atMs: 7, hopLimit });
    t.same(
      list.answers.map(({ index }) => index),
      [0, 1, 2],
    );
  }
});

t.test('errors about another packet, port or destination are not ours', async (t) => {
  for (const kind of ['udp', 'tcp'] as const) {
    const { flow, list } = aFlow(kind, 100);
    const arrival = { from: router, atMs: 1, hopLimit };
    const label = kind === 'udp' ? 101 : 100;
    flow.takeError(anError(kind, label + 3), arrival);
    flow.takeError(anError(kind, label - 1), arrival);
    flow.takeError(anError(kind, label, { port: 81 }), arrival);
    flow.takeError(anError(kind, label, { destination: other }), arrival);
    t.same(list.answers, []);
    flow.takeError(anError(kind, label), arrival);
    t.match(list.answers, [
      { index: 0, from: router, name: 'time_exceeded', type: 11, code: 0, ttl: hopLimit, isDuplicate: false },
    ]);
  }
});

t.test('segments from another address or port, or about another SYN, are not ours', async (t) => {
  const { flow, list } = aFlow('tcp', 0xffffffff);
  const reply = { name: 'tcp_rst', sourcePort: 80, destinationPort: 61000, acknowledgement: 0 } as const;
  flow.takeSegment(reply, { from: other, atMs: 1, hopLimit });
  flow.takeSegment({ ...reply, sourcePort: 81 }, { from, atMs: 1, hopLimit });
  flow.takeSegment({ ...reply, acknowledgement: 3 }, { from, atMs: 1, hopLimit });
  t.same(list.answers, []);
  flow.takeSegment(reply, { from, atMs: 1, hopLimit });
  flow.takeSegment(reply, { from, atMs: 2, hopLimit });
  t.match(list.answers, [
    { index: 0, name: 'tcp_rst', isDuplicate: false },
    { index: 0, isDuplicate: true },
  ]);
});
