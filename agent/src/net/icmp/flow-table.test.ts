import t from 'tap';
import { type EchoTaker, FlowTable, type PortTaker } from './flow-table.js';
import type { IcmpError } from './message.js';
import { protocols } from './protocols.js';

const arrival = { from: '192.0.2.1', atMs: 1, hopLimit: 64 };
const destination = Buffer.from([192, 0, 2, 1]);

function aTaker(): EchoTaker & PortTaker & { readonly taken: string[] } {
  const taken: string[] = [];
  return {
    taken,
    takeReply: () => taken.push('reply'),
    takeError: () => taken.push('error'),
    takeSegment: () => taken.push('segment'),
  };
}

function anError(quote: IcmpError['quote']): IcmpError {
  return { kind: 'error', name: 'time_exceeded', type: 11, code: 0, quote, mpls: [] };
}

t.test('65535 echo flows have 65535 identifiers, none of them 0, and one more is refused', async (t) => {
  const table = new FlowTable();
  const identifiers = new Set<number>();
  for (let count = 0; count < 0xffff; count += 1) identifiers.add(table.addEcho(aTaker()));
  t.equal(identifiers.size, 0xffff);
  t.notOk(identifiers.has(0), 'an answer of zeros alone has no checksum that all agree on');
  t.throws(() => table.addEcho(aTaker()), RangeError);
});

t.test('an identifier that was given back is free again', async (t) => {
  const table = new FlowTable();
  for (let count = 0; count < 0xffff; count += 1) table.addEcho(aTaker());
  table.removeEcho(4711);
  t.equal(table.addEcho(aTaker()), 4711);
});

t.test('messages reach the flow with their identifier and no other', async (t) => {
  const table = new FlowTable();
  const [first, second] = [aTaker(), aTaker()];
  const identifier = table.addEcho(first);
  table.addEcho(second);
  table.dispatchMessage(
    { kind: 'echo-reply', identifier, sequence: 0, bytes: Buffer.alloc(8), payloadStart: 8 },
    arrival,
  );
  table.dispatchMessage(
    anError({ kind: 'echo', identifier, sequence: 0, payload: Buffer.alloc(0), destination }),
    arrival,
  );
  t.same(first.taken, ['reply', 'error']);
  t.same(second.taken, []);
});

t.test('errors reach the flow with their protocol and port and no other', async (t) => {
  const table = new FlowTable();
  const [udp, tcp] = [aTaker(), aTaker()];
  t.equal(table.addPort(protocols.udp, 40000, udp), true);
  t.equal(table.addPort(protocols.tcp, 40000, tcp), true);
  t.equal(table.addPort(protocols.tcp, 40000, aTaker()), false, 'a port has one owner');
  table.dispatchMessage(
    anError({ kind: 'udp', sourcePort: 40000, destinationPort: 33434, label: 1, destination }),
    arrival,
  );
  table.dispatchSegment({ name: 'tcp_rst', sourcePort: 80, destinationPort: 40000, acknowledgement: 1 }, arrival);
  t.same(udp.taken, ['error']);
  t.same(tcp.taken, ['segment']);
  table.removePort(protocols.tcp, 40000);
  t.equal(table.addPort(protocols.tcp, 40000, aTaker()), true);
});
