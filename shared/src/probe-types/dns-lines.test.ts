import t from 'tap';
import { answerLines } from './dns-lines.js';
import type { DnsTraceStep } from './dns-trace.js';

const answer = {
  records: [
    { name: 'www.example.com', type: 'A', class: 'IN', ttl: 300, value: '93.184.216.34' },
    { name: '.', type: 'NS', class: 'IN', ttl: 5, value: 'a.root.' },
  ],
  rcode: 'NOERROR',
  flags: ['rd', 'ra'],
  resolver: '192.0.2.53:853',
  transport: 'dot',
  query_ms: 1.5,
  connect_ms: 0.5,
  tls_ms: 2,
  size: 60,
  resolver_rtt_ms: 0.5,
  ignored: 0,
  contradictions: 0,
  case_folded: false,
  edns: { udp_size: 1232, cookie: true },
  extended_errors: [],
  nsid: 'fra-3',
  dnssec: { validated: true, signatures: 1 },
};

function step(parts: Partial<DnsTraceStep>): DnsTraceStep {
  return {
    zone: '.',
    server: '192.0.2.1',
    address: '192.0.2.1:53',
    query_ms: 1,
    rcode: 'NOERROR',
    outcome: 'answer',
    message: null,
    delegated_zone: null,
    delegated_servers: [],
    ...parts,
  };
}

t.test('an answer reads as dig prints it, with who gave it and how fast', async (t) => {
  t.strictSame(answerLines(answer), [
    ';; status NOERROR; flags rd ra; EDNS 1232 bytes with cookie; DNSSEC validated, signatures: 1',
    'www.example.com.  300  IN  A   93.184.216.34',
    '.                 5    IN  NS  a.root.',
    ';; server 192.0.2.53:853 (fra-3) by dot; query 1.50 ms, connect 0.500 ms, TLS 2.00 ms; 60 bytes',
  ]);
});

t.test('peculiarities of an answer are printed below it', async (t) => {
  const odd = answerLines({
    ...answer,
    transport: 'udp',
    resolver_rtt_ms: 40,
    ignored: 2,
    contradictions: 1,
    case_folded: true,
    extended_errors: [{ code: 6, text: '' }],
  });
  t.strictSame(odd.slice(-5), [
    ';; extended error of the server: 6',
    ';; messages ignored, because they did not respond to this query: 2',
    ';; further responses with other content: 1',
    ';; the server changes the letter case of the question',
    ';; the response arrived in less than half the round-trip time of the server (40.0 ms)',
  ]);
});

t.test('a trace reads zone by zone, each server with what it did', async (t) => {
  const trace = [
    step({ outcome: 'referral', delegated_zone: 'com', delegated_servers: ['a.gtld.net', 'b.gtld.net'] }),
    step({ zone: 'com', server: 'a.gtld.net', outcome: 'lame', rcode: 'REFUSED', message: 'answers REFUSED' }),
    step({ zone: 'com', server: 'b.gtld.net', address: null, query_ms: null, outcome: 'not_allowed', message: 'no' }),
  ];
  t.strictSame(answerLines({ ...answer, rcode: null, trace }), [
    '.     192.0.2.1:53               1.00 ms  -> com. a.gtld.net b.gtld.net',
    'com.  a.gtld.net (192.0.2.1:53)  1.00 ms  lame: answers REFUSED',
    '      b.gtld.net                 -        not allowed: no',
  ]);
});
