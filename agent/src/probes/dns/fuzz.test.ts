import { rounds } from '@vantage/shared/_support/rounds.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { type Answer, encode } from 'dns-packet';
import fc from 'fast-check';
import t from 'tap';
import { type DnsMessage, decodeMessage } from '../../net/dns/message.js';
import { judgeReply, makeQuery } from '../../net/dns/query.js';
import { isSameAnswer } from '../../net/dns/record-data.js';
import { MalformedMessage } from '../../net/dns/wire-reader.js';
import { ProbeFailure } from '../failure.js';
import { judgeAnswer } from './delegation.js';
import { presentRecords } from './records.js';

const isRecords = compileSchema(probeTypes.dns.Result.properties.records);
const name = 'example.com';

/** One record of every type that has a decoder of its own. */
const answers: Answer[] = [
  { type: 'A', name, data: '192.0.2.1' },
  { type: 'AAAA', name, data: '2001:db8::1' },
  { type: 'CNAME', name, data: 'www.example.com' },
  { type: 'MX', name, data: { preference: 10, exchange: 'mail.example.com' } },
  { type: 'TXT', name, data: ['a', 'b'] },
  {
    type: 'SOA',
    name,
    data: {
      mname: 'ns.example.com',
      rname: 'host.example.com',
      serial: 1,
      refresh: 2,
      retry: 3,
      expire: 4,
      minimum: 5,
    },
  },
  { type: 'CAA', name, data: { flags: 0, tag: 'issue', value: 'ca.example.net' } },
  { type: 'SRV', name, data: { priority: 1, weight: 2, port: 443, target: 's.example.com' } },
  { type: 'DS', name, data: { keyTag: 1, algorithm: 5, digestType: 1, digest: Buffer.alloc(20) } },
  { type: 'DNSKEY', name, data: { flags: 257, algorithm: 13, key: Buffer.alloc(32) } },
  {
    type: 'RRSIG',
    name,
    data: {
      typeCovered: 'A',
      algorithm: 8,
      labels: 2,
      originalTTL: 60,
      expiration: 1,
      inception: 1,
      keyTag: 1,
      signersName: name,
      signature: Buffer.alloc(8),
    },
  },
  { type: 'NSEC', name, data: { nextDomain: 'b.example.com', rrtypes: ['A', 'MX'] } },
  {
    type: 'NAPTR',
    name,
    data: { order: 1, preference: 1, flags: 'u', services: 'sip', regexp: '!a!b!', replacement: '.' },
  },
  { type: 'HINFO', name, data: { cpu: 'a', os: 'b' } },
  { type: 'SSHFP', name, data: { algorithm: 1, hash: 1, fingerprint: '00'.repeat(20) } },
  { type: 'TLSA', name, data: { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(8) } },
  { type: 'RP', name, data: { mbox: 'm.example.com', txt: 't.example.com' } },
];

const messages = answers.map((answer) =>
  encode({ type: 'response', id: 1, questions: [{ type: 'A', name }], answers: [answer, answer] }),
);

t.test('dns messages of any bytes are answers, foreign or malformed, and nothing else happens', async (t) => {
  const query = makeQuery({ name, type: 'A' }, { isRecursive: true, edns: null });
  const property = fc.property(fc.uint8Array({ maxLength: 600 }), fc.boolean(), (tail, hasHeader) => {
    // half of them with a header that makes all the rest be read
    const header = Buffer.from('000181800001000300030003', 'hex');
    const bytes = hasHeader ? Buffer.concat([header, query.sentQuestion, tail]) : Buffer.from(tail);
    try {
      const judged = judgeReply(bytes, query, 1);
      if (judged.kind === 'foreign') return;
      judgeAnswer(judged.message, query.question, 'com');
      isSameAnswer(judged.message, judged.message);
      presentRecords(judged.message.answers, name);
    } catch (error) {
      if (!(error instanceof ProbeFailure) || error.code !== 'dns_error') throw error;
    }
  });
  fc.assert(property, { numRuns: rounds(3000) });
  t.pass();
});

t.test('names of names are read once: thousands of pointers to the longest name cost what one does', async (t) => {
  const labels = Buffer.concat(Array.from({ length: 127 }, () => Buffer.of(1, 0xff)));
  const question = Buffer.concat([labels, Buffer.of(0, 0, 1, 0, 1)]);
  const record = Buffer.from('c00c000500010000000100 02c00c'.replace(' ', ''), 'hex');
  const count = Math.floor((65_535 - 12 - question.length) / record.length);
  const header = Buffer.from('000181800001000000000000', 'hex');
  header.writeUInt16BE(count, 6);
  const bytes = Buffer.concat([header, question, ...Array<Buffer>(count).fill(record)]);
  let cuts = 0;
  const subarray = bytes.subarray.bind(bytes);
  bytes.subarray = (start, end) => {
    cuts += 1;
    return subarray(start, end);
  };
  const { answers } = decodeMessage(bytes);
  t.ok(cuts < 2 * count + 1000, `${cuts} labels and data read in ${count} records`);
  t.equal(answers.length, count);
  t.ok(
    answers.every((answer) => answer.name === answers[0]?.name),
    'one text for all',
  );
  const records = presentRecords(answers, name);
  t.ok(JSON.stringify(records).length < 256 * 1024, 'and a result keeps few of them');
});

t.test('names that point in circles, forward or nowhere are malformed', async (t) => {
  const header = '000180000001000000000000';
  const tail = '00010001';
  const cases = ['c00c', 'c00e', 'c0ff', '03777777c00c', '01', '3f61', '80', '40', `${'0161'.repeat(128)}00`];
  for (const bytes of cases)
    t.throws(() => decodeMessage(Buffer.from(header + bytes + tail, 'hex')), { name: 'MalformedMessage' }, bytes);
});

t.test('dns decoding and presentation stand any bytes', async (t) => {
  const random = generator(20_251_120);
  const outcomes = { decoded: 0, refused: 0 };
  const problems: string[] = [];
  for (let i = 0; i < 20_000; i += 1) {
    const bytes = mutate(messages[i % messages.length] ?? Buffer.alloc(0), random);
    const message = decodeOrNull(bytes, problems);
    outcomes[message === null ? 'refused' : 'decoded'] += 1;
    if (message !== null) present(message, bytes, problems);
  }
  t.strictSame(problems.slice(0, 5), []);
  t.ok(outcomes.decoded > 1000 && outcomes.refused > 1000, 'both happen');
});

function decodeOrNull(bytes: Buffer, problems: string[]): DnsMessage | null {
  try {
    return decodeMessage(bytes);
  } catch (error) {
    if (!(error instanceof MalformedMessage)) problems.push(`${bytes.toString('hex')}: ${String(error)}`);
    return null;
  }
}

function present(message: DnsMessage, bytes: Buffer, problems: string[]): void {
  try {
    const records = presentRecords(message.answers, name);
    if (!isRecords(records).ok) problems.push(`${bytes.toString('hex')}: ${JSON.stringify(records)}`);
  } catch (error) {
    problems.push(`${bytes.toString('hex')}: ${String(error)}`);
  }
}

/** Changes up to four bytes and sometimes cuts the end; never the id and the question. */
function mutate(message: Buffer, random: (below: number) => number): Buffer {
  const bytes = Buffer.from(message);
  const start = 12 + 17;
  for (let changes = random(4) + 1; changes > 0; changes -= 1)
    bytes[start + random(bytes.length - start)] = random(256);
  return random(4) === 0 ? bytes.subarray(0, start + random(bytes.length - start)) : bytes;
}

/** Mulberry32: the same numbers in every run. */
function generator(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
