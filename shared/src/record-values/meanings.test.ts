import t from 'tap';
import { meaningsShown, meaningsWritten } from './meanings.js';

/** True if a value that people write is one that a node shows. */
function isSame(type: string, shown: string, written: string): boolean {
  const meanings = meaningsShown(type, shown);
  return meaningsWritten(type, written).some((meaning) => meanings.includes(meaning));
}

const digest = 'A5F1C8D3E0B74926A5F1C8D3E0B74926A5F1C8D3E0B74926A5F1C8D3E0B74926';
const key = 'mdsswUyr3DPW132mOi8V9xESWE8jTo0dxCjjnopKl+GqJxpVXckHAeF+KkxLbxILfDLUT0rAK9iUzy1L53eKGQ==';

/** Type, value as a node shows it, and spellings that mean the same. */
const same: [type: string, shown: string, ...written: string[]][] = [
  ['A', '192.0.2.1', ' 192.0.2.1 ', '\\# 4 C0000201', '\\# 4 c000 0201', '::ffff:192.0.2.1'],
  ['AAAA', '2001:db8::1', '2001:0DB8:0:0:0:0:0:1', '2001:db8::0.0.0.1'],
  ['AAAA', '::ffff:192.0.2.1', '::FFFF:C000:201', '192.0.2.1'],
  ['CNAME', 'www.a.test.', 'WWW.a.Test', 'w\\119w.a.test.', '\\# 12 03575757 01 41 0474455354 00'],
  ['CNAME', 'xn--bcher-kva.test.', 'bücher.test', 'BÜCHER.test.'],
  ['CNAME', '.', '.'],
  ['NS', 'a\\.b.test.', 'A\\.B.test', 'a\\046b.test'],
  ['NS', 'ns1.a.test.', 'NS1.A.test'],
  ['PTR', 'host.a.test.', 'Host.A.test'],
  ['MX', '10 mx.a.test.', '10 MX.a.test', '010   mx.a.test.', 'mx.a.test', '\\# 13 000A 026D78 0161 04 54455354 00'],
  ['MX', '0 .', '0 .'],
  ['SRV', '0 5 5060 sip.a.test.', '0  5 5060 SIP.a.test', 'sip.a.test:5060'],
  ['SOA', 'ns.a.test. host.a.test. 1 7200 900 1209600 300', 'NS.a.test host.a.test 1 2h 15M 2w 5m'],
  ['SOA', 'ns.a.test. host.a.test. 1 2 3 4 5', 'ns.a.test. host.a.test. (\n 1 ; serial\n 2 3 4 5 )'],
  ['TXT', '"v=spf1 -all"', 'v=spf1 -all', '"v=spf1" " -all"', 'v=spf1\\032-all', '\\# 12 0B 763D73706631202D616C6C'],
  ['TXT', '"v=DKIM1; k=rsa; p=AB" "CD"', 'v=DKIM1; k=rsa; p=ABCD', 'v=DKIM1\\; k=rsa\\; p=ABCD'],
  ['TXT', '"v=DKIM1; p=AB" "CD"', '( "v=DKIM1; p="\n\t"ABCD" )  ; ----- DKIM key'],
  ['TXT', '"gr\\195\\188n"', 'grün', '"grün"', '"gr\\195\\188n"', 'gr\\195\\188n'],
  ['TXT', '"say \\"hi\\" \\\\ there"', 'say "hi" \\ there', '"say \\"hi\\" \\092 there"'],
  ['TXT', '"a;b"', 'a;b', '"a\\;b"', 'a\\;b', '"a;" "b"'],
  ['TXT', '""', '""'],
  ['SPF', '"v=spf1 -all"', 'v=spf1 -all'],
  ['RESINFO', '\\# 9 08 716E616D656D696E', 'qnamemin'],
  ['CAA', '0 issue "ca.test"', '0 issue ca.test', '0 ISSUE "ca.test"', '00 issue  "ca.test"'],
  ['CAA', '128 issue "ca.test; account=1"', '128 issue ca.test; account=1', '128 issue "ca.test\\; account=1"'],
  ['CAA', '0 issue ";"', '0 issue ;', '0 issue ";"', '\\# 8 00 05 4953535545 3B'],
  [
    'DS',
    `20326 8 2 ${digest}`,
    `20326 8 2 ${digest.toLowerCase()}`,
    `20326 RSASHA256 2 (${digest.slice(0, 56)}\n ${digest.slice(56)} )`,
  ],
  ['CDS', `1 13 2 ${digest}`, `1 ECDSAP256SHA256 02 ${digest.toLowerCase()}`],
  [
    'DNSKEY',
    `257 3 13 ${key}`,
    `257 3 ecdsap256sha256 ( ${key.slice(0, 44)}\n ${key.slice(44)} ) ; KSK; alg = 13`,
    `257 3 13 ${key.replace('==', '')}`,
  ],
  [
    'HTTPS',
    '1 . alpn="h2,h3" port=8443 ipv4hint=192.0.2.1,192.0.2.2 ipv6hint=2001:db8::1',
    '1 . port="8443" alpn=h2,h3 ipv4hint="192.0.2.1,192.0.2.2" ipv6hint=2001:DB8:0::1',
  ],
  ['HTTPS', '0 a.test.', '0 A.test'],
  [
    'SVCB',
    '1 a.test. mandatory=alpn,port alpn="a\\\\,b,c" port=1',
    '1 a.test port=1 mandatory=port,alpn alpn="a\\\\,b,c"',
  ],
  ['SVCB', '1 a.test. alpn="dot" no-default-alpn', '1 a.test. alpn=dot no-default-alpn'],
  ['SVCB', '1 a.test. alpn="h2" key7="/dns-query{?dns}"', '1 a.test. alpn="h2" dohpath="/dns-query{?dns}"'],
  ['TLSA', '3 1 1 ABCDEF', '3 1 1 abcd ef', '03 01 01 AbCdEf'],
  ['SMIMEA', '3 1 1 ABCDEF', '3 1 1 abcdef'],
  ['SSHFP', '4 2 ABCDEF', '4 2 abc def'],
  [
    'NAPTR',
    '100 10 "U" "E2U+sip" "!^(.*)$!sip:\\\\1@a.test!" .',
    '100 10 u e2u+SIP "!^(.*)$!sip:\\\\1@a.test!" .',
    '100 10 "U" "E2U+sip" "!^(.*)$!sip:\\1@a.test!" .',
  ],
  ['CERT', 'PGP 0 0 YWJj', '3 0 0 YW Jj', 'pgp 0 0 YWJj'],
  ['OPENPGPKEY', 'YWJjZA==', 'YWJj ZA==', 'YWJjZA'],
  ['DHCID', 'YWJj', 'YW\nJj'],
  [
    'LOC',
    '52 22 23.000 N 4 53 32.000 E -2.00m 1m 10000m 10m',
    '52 22 23 N 4 53 32 E -2m',
    '52 22 23.0 n 4 53 32.000 e -2.00 1.00m 10000.00m 10m',
  ],
  ['LOC', '42 0 0.000 S 71 30 0.000 W 10.00m 0.00m 10000m 10m', '42 S 71 30 W 10 0m'],
  ['URI', '10 1 "https://a.test/"', '10 1 https://a.test/'],
  ['HINFO', '"RFC8482" ""', 'RFC8482 ""'],
  ['RP', 'a.b.test. .', 'A.b.test .'],
  ['NSEC', 'b.test. A MX TYPE65400', 'B.test mx a type65400'],
  ['NSEC3PARAM', '1 0 0 -', '1 0 0 -'],
  [
    'NSEC3',
    '1 1 0 AABB 2VPTU5TIMAMQTTGL4LUU9KG21E0AOR3S A RRSIG',
    '1 1 0 aabb 2vptu5timamqttgl4luu9kg21e0aor3s A RRSIG',
  ],
  [
    'RRSIG',
    'A 8 2 300 20270101000000 20261201000000 1 a.test. YWJj',
    'a RSASHA256 2 300 1798761600 20261201000000 1 A.test YW Jj',
  ],
  ['EUI48', '00-00-5e-00-53-2a', '00:00:5E:00:53:2A'],
  ['APL', '1:192.0.2.0/24 !2:2001:db8::/32', '1:192.0.2.0/24 !2:2001:DB8:0::/32'],
  ['NID', '10 14:4fff:ff20:ee64', '10 0014:4FFF:ff20:ee64'],
  ['L32', '10 192.0.2.1', '010 192.0.2.1'],
  ['NSAP', '0x47000580', '0x47.0005.80'],
  ['TYPE65400', '\\# 3 ABCDEF', '\\# 3 abcd ef', '\\# 3 abcdef'],
  ['A', 'hidden', 'hidden'],
];

t.test('every spelling of a value means what a node shows', async (t) => {
  for (const [type, shown, ...written] of same)
    for (const text of [shown, ...written]) t.ok(isSame(type, shown, text), `${type} ${shown}: ${text}`);
});

/** Type, value as a node shows it, and values that are others. */
const other: [type: string, shown: string, ...written: string[]][] = [
  ['A', '192.0.2.1', '192.0.2.10', '192.0.2.01', '\\# 4 C0000202', '\\# 5 C0000201', '2001:db8::1'],
  ['CNAME', 'a.test.', 'b.a.test', 'test', 'a..test'],
  ['NS', 'a\\.b.test.', 'a.b.test'],
  ['MX', '10 mx.a.test.', '20 mx.a.test', 'a.test', '10', '10 mx.a.test more', '-10 mx.a.test', '65546 mx.a.test'],
  ['SRV', '0 5 5060 sip.a.test.', 'sip.a.test', 'sip.a.test:5061', '0 5 5061 sip.a.test'],
  ['TXT', '"A"', 'a'],
  ['TXT', '"ab"', 'a b', '"a b"', '"a', '"\\"ab\\""', 'ab\\'],
  ['TXT', '"abc"', '"\\"abc\\""'],
  ['CAA', '0 issue "CA.test"', '0 issue "ca.test"', '0 issuewild "CA.test"', '1 issue "CA.test"', '0 issue'],
  ['DS', '1 13 2 ABCD', '1 13 2 ABCE', '1 13 2 ABC', '1 13 2', '1 14 2 ABCD'],
  ['DNSKEY', '257 3 13 YWJj', '257 3 13 YWJJ', '257 3 13 ywjj'],
  ['HTTPS', '1 . alpn="h2"', '1 . alpn="h3"', '1 . alpn="h2" port=1', '1 .', '1 . alpn=h2 alpn=h2', '1 . nonsense=1'],
  ['TLSA', '3 1 1 ABCD', '3 1 1 ABCG'],
  ['LOC', '52 0 0.000 N 4 0 0.000 E 0.00m 1m 10000m 10m', '52 S 4 E 0m', '52 N 4 E', '4 E 52 N 0m', 'N E 0m'],
  ['TXT', '"\\\\300"', '"\\300"'],
  ['TYPE65400', '\\# 2 ABCD', 'abcd', '\\# 2 abce'],
];

t.test('a value that differs in more than its spelling is another one', async (t) => {
  for (const [type, shown, ...written] of other)
    for (const text of written) t.notOk(isSame(type, shown, text), `${type} ${shown}: ${text}`);
});

t.test('a value of any text is read, however hostile', async (t) => {
  const texts = [
    '',
    '"',
    '\\',
    '="'.repeat(3000),
    '" '.repeat(3000),
    '('.repeat(6000),
    '\\'.repeat(6001),
    '\ud800',
    '\\# 99999',
    `\\# 1${' '.repeat(6000)}x`,
  ];
  for (const [type] of same)
    for (const text of texts) {
      const counts = [meaningsShown(type, text).length, meaningsWritten(type, text.slice(0, 1024)).length];
      if (counts.includes(0)) t.fail(`${type} ${text.slice(0, 20)}`);
    }
  t.pass('all are read');
});
