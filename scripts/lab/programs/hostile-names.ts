// The name server of hostile.test and cname-at-apex.test: hostile-names.js ADDRESS... UDP and TCP at port 53; prints "ready".
import { createSocket } from 'node:dgram';
import { createServer, isIPv6 } from 'node:net';
import packet, { type Answer, type Packet } from 'dns-packet';

const PORT = 53;
const web = '25.80.10.10';
const thousand = Array.from(
  { length: 1000 },
  (_, index) => `25.80.${20 + Math.floor(index / 250)}.${(index % 250) + 1}`,
);

/** Records by name; every other name of hostile.test does not exist. */
const zone: Readonly<Record<string, readonly Answer[]>> = {
  'hostile.test': [{ type: 'NS', name: 'hostile.test', ttl: 0, data: 'ns.hostile.test' }, soaOf('hostile.test')],
  'ns.hostile.test': addressesOf('ns.hostile.test', '25.80.10.66'),
  'private.hostile.test': addressesOf('private.hostile.test', '10.0.0.1'),
  'mixed.hostile.test': addressesOf('mixed.hostile.test', web, '127.0.0.1'),
  'mapped.hostile.test': [{ type: 'AAAA', name: 'mapped.hostile.test', ttl: 0, data: '::ffff:10.0.0.1' }],
  'metadata.hostile.test': addressesOf('metadata.hostile.test', '169.254.169.254'),
  'localhost.hostile.test': [{ type: 'CNAME', name: 'localhost.hostile.test', ttl: 0, data: 'localhost' }],
  'wrong-id.hostile.test': addressesOf('wrong-id.hostile.test', web),
  'cut.hostile.test': addressesOf('cut.hostile.test', web),
  'thousand.hostile.test': addressesOf('thousand.hostile.test', ...thousand),
  'silent.hostile.test': [],
  // an alias that hides what else the zone has, which no name server of today loads
  'cname-at-apex.test': [
    { type: 'NS', name: 'cname-at-apex.test', ttl: 0, data: 'ns.hostile.test' },
    soaOf('cname-at-apex.test'),
    { type: 'CNAME', name: 'cname-at-apex.test', ttl: 0, data: 'www.lab.test' },
  ],
};
/** Names that change, and have been queried: the first answer is public, every later one private. */
const turned = new Set<string>();

for (const address of process.argv.slice(2)) await serve(address);
process.stdout.write('ready\n');

async function serve(address: string): Promise<void> {
  const tcp = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (chunk) => {
      const reply = answer(chunk.subarray(2), 'tcp');
      if (reply !== null) socket.write(Buffer.concat([Buffer.from([reply.length >> 8, reply.length & 255]), reply]));
    });
  });
  await new Promise<void>((resolve) => tcp.listen(PORT, address, resolve));
  const udp = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
  udp.on('message', (query, from) => {
    const reply = answer(query, 'udp');
    if (reply !== null) udp.send(reply, from.port, from.address);
  });
  await new Promise<void>((resolve) => udp.bind(PORT, address, resolve));
}

function answer(query: Buffer, transport: 'udp' | 'tcp'): Buffer | null {
  const { id = 0, questions = [] } = packet.decode(query);
  const [question] = questions;
  const asked = question?.name.toLowerCase() ?? '';
  const type = question?.type ?? 'A';
  if (asked === 'silent.hostile.test') return null;
  const records = /^turning(?:-[a-z]+)?\.hostile\.test$/.test(asked) ? turning(asked, type) : zone[asked];
  const answers = (records ?? []).filter((record) => record.type === type || record.type === 'CNAME');
  const isCut = transport === 'udp' && ['cut.hostile.test', 'thousand.hostile.test'].includes(asked);
  const reply: Packet = {
    type: 'response',
    id: asked === 'wrong-id.hostile.test' ? id ^ 1 : id,
    flags: packet.AUTHORITATIVE_ANSWER | (isCut ? packet.TRUNCATED_RESPONSE : 0) | (records === undefined ? 3 : 0),
    questions,
    // the name as in the query: mixed case is intentional
    answers: isCut ? [] : answers.map((record) => ({ ...record, name: question?.name ?? record.name })),
  };
  return packet.encode(reply);
}

function turning(name: string, type: string): readonly Answer[] {
  if (type !== 'A') return [];
  const isTurned = turned.has(name);
  turned.add(name);
  return addressesOf(name, isTurned ? '127.0.0.1' : web);
}

function soaOf(name: string): Answer {
  const numbers = { serial: 1, refresh: 1, retry: 1, expire: 1, minimum: 0 };
  return { type: 'SOA', name, ttl: 0, data: { mname: 'ns.hostile.test', rname: 'nobody.hostile.test', ...numbers } };
}

function addressesOf(name: string, ...all: readonly string[]): readonly Answer[] {
  return all.map((data) => ({ type: 'A', name, ttl: 0, data }));
}
