import t from 'tap';
import { type Answered, lookupText } from './lookup-text.js';

const sources = [
  { name: 'GeoLite2-City', built_at: '2026-11-21T19:24:14.000Z' },
  { name: 'GeoLite2-ASN', built_at: '2026-11-21T19:24:14.000Z' },
];

const answered = (one: Partial<Answered>) =>
  lookupText({ cache: null, cache_again: null, ...one } as Answered).split('\n');

t.test('an answer that was kept shows its age, and one that nothing keeps only its source', async (t) => {
  const server = { protocol: 'rdap', server: '127.0.0.1:41233' };
  const registration = { expires_at: '2099-05-04T08:30:00.000Z', registrar: 'Demo Registrar Ltd', network: null };
  const [cache, cache_again] = [
    { hit: false, age_sec: 0 },
    { hit: true, age_sec: 1 },
  ];
  const whois = { kind: 'whois', question: 'demo.example', data: { ...registration, source: server } } as const;
  t.strictSame(answered({ ...whois, cache, cache_again }), [
    'whois of demo.example: registered until 2099-05-04 with Demo Registrar Ltd',
    '    RDAP server 127.0.0.1:41233; asked just now, then from memory, 1 s old',
  ]);
  const data = { city: 'London', country_name: 'United Kingdom', asn: 20712, org: 'Andrews & Arnold Ltd', sources };
  t.strictSame(answered({ kind: 'ip', question: '81.2.69.142', data }), [
    'ip of 81.2.69.142: London, United Kingdom; AS20712 Andrews & Arnold Ltd',
    '    databases GeoLite2-City of 2026-11-21, GeoLite2-ASN of 2026-11-21',
  ]);
});

t.test('long answers are cut to their beginning, so that two lines of 80 columns are enough', async (t) => {
  const records = ['A 127.0.0.1', 'MX 10 mail.demo.example.', 'NS ns.demo.example.', 'TXT "v=spf1 mx -all"'];
  const data = {
    records: records.map((text) => ({
      type: text.slice(0, text.indexOf(' ')),
      value: text.slice(text.indexOf(' ') + 1),
    })),
    node: { country: 'DE', asn: 3320 },
  };
  const lines = answered({ kind: 'dns', question: 'demo.example', data });
  t.equal(lines[0], 'dns of demo.example: A 127.0.0.1, MX 10 mail.demo.example. and 2 more');
  const combined = { total: 10, sample: ['adns.com', 'adns.net', 'edns.com'] };
  const combo = answered({ kind: 'domain-combo', question: 'a vowel + dns, .com or .net', data: combined });
  t.match(combo[0], /: adns\.com, adns\.net and 8 more$/);
  for (const line of [...lines, ...combo]) t.ok(line.length <= 78, line);
});

t.test('text of a server cannot control the terminal', async (t) => {
  const data = { icp_number: 'ICP\u001b[31m1', company: 'A\nB', source: '127.0.0.1' };
  t.strictSame(answered({ kind: 'icp', question: 'demo.example', data }), [
    'icp of demo.example: ICP·[31m1, A·B',
    '    source 127.0.0.1',
  ]);
});
