import { until } from '@vantage/shared/_support/until.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t, { type Test } from 'tap';
import {
  type DnsHandler,
  dnsMessage,
  optRecord,
  type SeenQuery,
  startDnsServer,
} from '../../../test/_support/dns-server.js';
import { openSockets } from '../../../test/_support/open-resources.js';
import { aContext, aSpec } from '../../../test/_support/probe-context.js';
import { dns } from './index.js';

const isResult = compileSchema(probeTypes.dns.Result);
const SITE = { type: 'A', name: 'site.example.com', ttl: 300, data: '93.184.216.34' } as const;
const FORGED = { ...SITE, data: '6.6.6.6' } as const;
const COOKIE = 10;
const NSID = 3;
const EXTENDED_ERROR = 15;

const cookieOf = ({ options }: SeenQuery) => options?.get(COOKIE) ?? Buffer.alloc(0);

async function ask(t: Test, handle: DnsHandler, params: Parameters<typeof aSpec<'dns'>>[2] = {}) {
  const server = await startDnsServer(t, handle);
  const before = openSockets();
  const { address, port } = server.endpoint;
  const result = await dns.run(aSpec('dns', 'site.example.com', { server: address, port, ...params }), aContext());
  t.ok(isResult(result).ok, 'the result is of its schema');
  await until('no socket is left', () => openSockets() <= before && server.openConnections === 0);
  return { result, queries: server.queries };
}

t.test('dns asks with EDNS for the server’s identity, with a cookie, in at most 512 bytes', async (t) => {
  const nsid = (data: Buffer) => [{ code: NSID, data }];
  const { result, queries } = await ask(t, (query) => ({
    answers: [SITE],
    additionals: [optRecord([...nsid(Buffer.from('fra-3')), { code: COOKIE, data: cookieOf(query) }])],
  }));
  t.match(result, { nsid: 'fra-3', edns: { version: 0, udp_size: 1232, cookie: true } });
  t.equal(result.dnssec, undefined, 'nothing of DNSSEC unless it is asked for');
  t.ok(queries.every(({ bytes }) => bytes <= 512));
  t.equal(queries[0]?.options?.get(NSID)?.length, 0);
  t.equal(queries[0]?.options?.get(COOKIE)?.length, 8);
  t.equal(queries[0]?.wantsSignatures, false);
  const binary = await ask(t, () => ({ answers: [SITE], additionals: [optRecord(nsid(Buffer.of(0, 255)))] }));
  t.match(binary.result, { nsid: '0x00ff', edns: { cookie: false } });
});

t.test('dns requests signatures, and reports if they came and if the resolver validated', async (t) => {
  const signature = {
    type: 'RRSIG',
    name: 'site.example.com',
    ttl: 300,
    data: {
      typeCovered: 'A',
      algorithm: 13,
      labels: 3,
      originalTTL: 300,
      expiration: 1893456000,
      inception: 1767225600,
      keyTag: 1,
      signersName: 'example.com',
      signature: Buffer.alloc(8),
    },
  } as const;
  const { result, queries } = await ask(t, () => ({ flags: 0x20, answers: [SITE, signature] }), { dnssec: true });
  t.match(result, { success: true, dnssec: { validated: true, signatures: 1 }, flags: ['ad'] });
  t.match(result.records[1], {
    type: 'RRSIG',
    value: /^A 13 3 300 20300101000000 20260101000000 1 example\.com\. AAAA/,
  });
  t.equal(queries[0]?.wantsSignatures, true);
  const alone = await ask(t, () => ({ answers: [signature] }), { dnssec: true });
  t.match(alone.result, { error: { code: 'dns_nodata' }, dnssec: { validated: false, signatures: 1 } });
});

t.test('dns asks again without EDNS where the server knows none', async (t) => {
  for (const rcode of ['FORMERR', 'NOTIMP', 'BADVERS']) {
    const { result, queries } = await ask(t, ({ options }) => {
      if (options === null) return { answers: [SITE] };
      return rcode === 'BADVERS' ? { additionals: [optRecord([], 1)] } : { rcode };
    });
    t.match(result, { success: true, edns: null, rcode: 'NOERROR' }, rcode);
    t.equal(queries.length, 2);
  }
  const meant = await ask(t, () => ({ rcode: 'FORMERR', additionals: [optRecord([])] }));
  t.match(meant.result, { error: { code: 'dns_error' }, rcode: 'FORMERR' }, 'a server that knows EDNS means it');
  t.equal(meant.queries.length, 1);
});

t.test('dns shows a cookie again to a server that wants to see one, once', async (t) => {
  const whole = (query: SeenQuery) => Buffer.concat([cookieOf(query).subarray(0, 8), Buffer.alloc(8, 7)]);
  const badCookie = (query: SeenQuery) => ({
    // BADCOOKIE is 23: 1 in OPT, 7 in the header
    flags: 7,
    additionals: [optRecord([{ code: COOKIE, data: whole(query) }], 1)],
  });
  const { result, queries } = await ask(t, (query) =>
    cookieOf(query).length === 16
      ? { answers: [SITE], additionals: [optRecord([{ code: COOKIE, data: cookieOf(query) }])] }
      : badCookie(query),
  );
  t.match(result, { success: true, edns: { cookie: true } });
  t.equal(queries.length, 2);
  t.strictSame(queries[1]?.options?.get(COOKIE)?.subarray(0, 8), queries[0]?.options?.get(COOKIE));
  const never = await ask(t, badCookie);
  t.match(never.result, { success: false, error: { code: 'dns_error' }, rcode: 'BADCOOKIE' });
  t.equal(never.queries.length, 2);
});

t.test('dns ignores answers with another cookie, id or question, and counts them', async (t) => {
  const { result } = await ask(t, (query) => {
    const question = [{ name: query.asked, type: 'A' as const }];
    const forged = { questions: question, answers: [FORGED] };
    return [
      dnsMessage({ ...forged, id: query.id, additionals: [optRecord([{ code: COOKIE, data: Buffer.alloc(8, 1) }])] }),
      dnsMessage({ ...forged, id: query.id ^ 1 }),
      dnsMessage({ ...forged, id: query.id, questions: [{ name: 'other.example.com', type: 'A' }] }),
      dnsMessage({ id: query.id, questions: question, answers: [SITE] }),
    ];
  });
  t.match(result, { success: true, records: [{ value: '93.184.216.34' }], ignored: 3, contradictions: 0 });
});

t.test('dns asks a server by tcp that repeats the question in another letter case', async (t) => {
  const fold = (query: SeenQuery, record: typeof SITE | typeof FORGED) => [
    dnsMessage({ id: query.id, questions: [{ name: query.asked.toLowerCase(), type: 'A' }], answers: [record] }),
  ];
  const spoofed = await ask(t, (query) => (query.transport === 'udp' ? fold(query, FORGED) : { answers: [SITE] }));
  t.match(spoofed.result, {
    success: true,
    case_folded: true,
    transport: 'tcp',
    records: [{ value: '93.184.216.34' }],
  });
  t.not(spoofed.queries[0]?.asked, 'site.example.com', 'the question has letters of both cases');
  const folding = await ask(t, (query) => fold(query, SITE));
  t.match(folding.result, { success: true, case_folded: true, transport: 'tcp' }, 'a server that folds always');
  const refusing = await ask(t, (query) => (query.transport === 'udp' ? fold(query, SITE) : { rcode: 'REFUSED' }));
  t.match(refusing.result, { success: true, transport: 'udp', rcode: 'NOERROR', records: [{}] }, 'TCP is refused');
});

t.test('dns gives up on a server that sends a flood of messages that are no answer', async (t) => {
  const { result } = await ask(t, ({ id, asked }) =>
    Array<Buffer>(150).fill(dnsMessage({ id, questions: [{ name: `x${asked}`, type: 'A' }] })),
  );
  t.match(result, { success: false, error: { code: 'dns_error', message: /over 100 messages/ } });
});

t.test('dns reads no datagram that is larger than any server sends', async (t) => {
  const { result } = await ask(t, ({ id, asked, transport }) => {
    const message = dnsMessage({ id, questions: [{ name: asked, type: 'A' }], answers: [FORGED] });
    const small = dnsMessage({ id, questions: [{ name: asked, type: 'A' }], answers: [SITE] });
    return transport === 'tcp' ? null : [Buffer.concat([message, Buffer.alloc(5000)]), small];
  });
  t.match(result, { success: true, ignored: 1, contradictions: 0, records: [{ value: SITE.data }] });
});

t.test('dns shows names in the letter case they were asked in', async (t) => {
  const { result } = await ask(t, ({ asked }) => ({
    answers: [
      { type: 'CNAME', name: asked, data: `mail.${asked.slice(asked.indexOf('.') + 1)}` },
      { type: 'A', name: 'Mail.Example.com', data: '93.184.216.34' },
    ],
  }));
  t.match(result.records, [{ name: 'site.example.com' }, { name: 'Mail.Example.com' }]);
  const compressed = await ask(t, ({ id, asked }) => {
    const bytes = dnsMessage({ id, questions: [{ name: asked, type: 'A' }] });
    // an alias that points at the second label of the question: \x04mail, then offset 12 + 5
    const data = Buffer.from('046d61696cc011', 'hex');
    bytes.writeUInt16BE(1, 6);
    return [Buffer.concat([bytes, Buffer.from('c00c000500010000003c0007', 'hex'), data])];
  });
  t.match(compressed.result.records, [{ name: 'site.example.com', value: 'mail.example.com.' }]);
});

t.test('dns counts a second answer that says something else, and no mere repetition', async (t) => {
  const twice = (second: typeof SITE | typeof FORGED) =>
    ask(t, (query) => {
      if (query.transport === 'tcp') return null;
      const parts = { id: query.id, questions: [{ name: query.asked, type: 'A' as const }] };
      return [dnsMessage({ ...parts, answers: [FORGED] }), dnsMessage({ ...parts, answers: [second] })];
    });
  const injected = await twice(SITE);
  t.match(injected.result, { success: true, records: [{ value: '6.6.6.6' }], contradictions: 1 });
  const repeated = await twice(FORGED);
  t.match(repeated.result, { contradictions: 0 });
  t.ok((repeated.result.resolver_rtt_ms ?? -1) >= 0, 'the way there and back is measured meanwhile');
});

t.test('dns reports why a resolver failed (RFC 8914)', async (t) => {
  const why = Buffer.concat([Buffer.of(0, 6), Buffer.from('signature \u001b[31mexpired')]);
  const { result } = await ask(t, () => ({
    rcode: 'SERVFAIL',
    additionals: [optRecord([{ code: EXTENDED_ERROR, data: why }])],
  }));
  t.match(result, {
    error: { code: 'dns_servfail', message: /DNSSEC Bogus \(signature ·\[31mexpired\)/ },
    extended_errors: [{ code: 6 }],
  });
});
