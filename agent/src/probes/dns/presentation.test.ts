import type { Answer } from 'dns-packet';
import { encode } from 'dns-packet';
import t from 'tap';
import { decodeMessage } from '../../net/dns/message.js';
import { arpaName } from './arpa-name.js';
import { presentRecords } from './records.js';

/** Through the wire and back, as an answer arrives. */
function presented(...answers: Answer[]) {
  return presentRecords(decodeMessage(encode({ type: 'response', answers })).answers, 'example.com');
}

t.test('records read as dig prints them', async (t) => {
  const name = 'example.com';
  const cases: { answer: Answer; value: string }[] = [
    { answer: { type: 'A', name, data: '192.0.2.1' }, value: '192.0.2.1' },
    { answer: { type: 'AAAA', name, data: '2001:0DB8:0:0:1:0:0:1' }, value: '2001:db8::1:0:0:1' },
    { answer: { type: 'AAAA', name, data: '::ffff:192.0.2.1' }, value: '::ffff:192.0.2.1' },
    { answer: { type: 'CNAME', name, data: 'www.example.com' }, value: 'www.example.com.' },
    { answer: { type: 'NS', name, data: 'ns.example.com' }, value: 'ns.example.com.' },
    { answer: { type: 'PTR', name, data: 'host.example.com' }, value: 'host.example.com.' },
    {
      answer: { type: 'MX', name, data: { preference: 10, exchange: 'mail.example.com' } },
      value: '10 mail.example.com.',
    },
    { answer: { type: 'MX', name, data: { preference: 0, exchange: '.' } }, value: '0 .' },
    {
      answer: { type: 'TXT', name, data: ['v=spf1 -all', 'say "hi" \\ ü'] },
      value: '"v=spf1 -all" "say \\"hi\\" \\\\ \\195\\188"',
    },
    {
      answer: {
        type: 'SOA',
        name,
        data: {
          mname: 'ns.example.com',
          rname: 'host\\.master.example.com',
          serial: 1,
          refresh: 2,
          retry: 3,
          expire: 4,
          minimum: 5,
        },
      },
      value: 'ns.example.com. host\\.master.example.com. 1 2 3 4 5',
    },
    {
      answer: { type: 'CAA', name, data: { flags: 128, tag: 'issue', value: 'ca.example.net; a="b"' } },
      value: '128 issue "ca.example.net; a=\\"b\\""',
    },
    {
      answer: { type: 'SRV', name, data: { priority: 1, weight: 2, port: 443, target: 's.example.com' } },
      value: '1 2 443 s.example.com.',
    },
    {
      answer: {
        type: 'DS',
        name,
        data: { keyTag: 60485, algorithm: 5, digestType: 1, digest: Buffer.from('2bb183af', 'hex') },
      },
      value: '60485 5 1 2BB183AF',
    },
    {
      answer: { type: 'DNSKEY', name, data: { flags: 257, algorithm: 13, key: Buffer.from('key') } },
      value: '257 3 13 a2V5',
    },
    { answer: { type: 'HINFO', name, data: { cpu: 'RFC8482', os: '' } }, value: '"RFC8482" ""' },
    {
      answer: {
        type: 'TLSA',
        name,
        data: { usage: 3, selector: 1, matchingType: 1, certificate: Buffer.from('abcd', 'hex') },
      },
      value: '3 1 1 ABCD',
    },
  ];
  for (const { answer, value } of cases) t.equal(presented(answer)[0]?.value, value, `${answer.type} ${value}`);
});

t.test('records of types without a name keep their bytes (RFC 3597)', async (t) => {
  const unknown: Answer = JSON.parse('{"type":"UNKNOWN_65280","name":"example.com"}');
  const records = presented({ ...unknown, data: Buffer.alloc(0) } as Answer);
  t.match(records, [{ type: 'TYPE65280', value: '\\# 0' }]);
});

t.test('records leave out OPT and escape owner names', async (t) => {
  const records = presented(
    { type: 'A', name: 'a b(c).example.com', data: '192.0.2.1' },
    { type: 'NS', name: '.', data: 'a.root-servers.net' },
  );
  t.strictSame(
    records.map((record) => record.name),
    ['a\\032b\\(c\\).example.com', '.'],
  );
});

t.test('reverse names follow RFC 1035 and RFC 3596', async (t) => {
  t.equal(arpaName('192.0.2.1'), '1.2.0.192.in-addr.arpa');
  t.equal(
    arpaName('4321:0:1:2:3:4:567:89ab'),
    'b.a.9.8.7.6.5.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.0.0.0.0.1.2.3.4.ip6.arpa',
    'the example of RFC 3596 section 2.5',
  );
});
