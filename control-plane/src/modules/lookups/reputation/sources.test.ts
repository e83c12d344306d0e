import { parseAddress } from '@vantage/shared/target-policy/address.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { blocklistRows, DnsBlocklistError, listingsOf, parseDnsBlocklists } from './dns-blocklists.js';
import { ListFileSchema, listDefinitions, listFileErrors } from './list-definition.js';
import { mmdbEntries, states } from './mmdb-entries.js';

t.test('codes of DNS blocklists count only where the operator mapped them', async (t) => {
  const zones = parseDnsBlocklists(
    'ZEN.example.org., bl.example.net=127.0.0.4:proxy,bl.example.net=127.0.0.9:abuse_asn,',
  );
  t.same(
    zones.map(({ zone, signals }) => [zone, ...signals]),
    [['zen.example.org'], ['bl.example.net', ['127.0.0.4', 'proxy'], ['127.0.0.9', 'abuse_asn']]],
  );
  const lookup = { address: '8.8.8.8', reason: null, error: null };
  const lookups = [
    { ...lookup, zone: 'zen.example.org', listed: true, codes: ['127.0.0.2'] },
    { ...lookup, zone: 'bl.example.net', listed: true, codes: ['127.0.0.3', '127.0.0.4'] },
    { ...lookup, zone: 'refusing.example.net', listed: null, codes: [], error: 'refuses the query (127.255.255.254)' },
  ];
  t.same(listingsOf(lookups, zones), [{ zone: 'bl.example.net', code: '127.0.0.4', signal: 'proxy' }]);
  t.same(blocklistRows(lookups), [
    { zone: 'zen.example.org', listed: true, code: '127.0.0.2' },
    { zone: 'bl.example.net', listed: true, code: '127.0.0.3' },
    { zone: 'refusing.example.net', listed: null, code: null },
  ]);
  t.same(parseDnsBlocklists(''), []);
  const invalid = [
    'x',
    'a.b=',
    'a.bc=127.0.0.1',
    'a.bc=10.0.0.1:proxy',
    'a.bc=127.0.0.1:tor',
    'a.bc=127.0.0.1:vpn:x',
    'a.bc=127.0.0.256:vpn',
    'a bc.de',
    'a.bc=127.0.0.2:vpn,a.bc=127.0.0.2:proxy',
  ];
  for (const setting of invalid) t.throws(() => parseDnsBlocklists(setting), DnsBlocklistError, setting);
});

t.test('a record of a database states what its flags say, and without flags its presence counts', async (t) => {
  t.equal(states({ is_anonymous_vpn: true }, 'vpn'), true);
  t.equal(states({ is_anonymous_vpn: true }, 'proxy'), false);
  t.equal(states({ vpn: 'true', proxy: 'false' }, 'vpn'), true);
  t.equal(states({ vpn: 'true', proxy: 'false' }, 'proxy'), false);
  t.equal(states({ is_hosting_provider: true }, 'abuse_asn'), false);
  t.equal(states({ name: 'x' }, 'abuse_asn'), true);
  const database = {
    find: (text: string) => (text === '8.8.8.8' ? { record: { tor: true }, prefixLength: 24 } : null),
  };
  const at = (text: string) => parseAddress(text) ?? { family: 4 as const, value: 0n };
  t.equal(mmdbEntries(database, 'tor_exit').find(at('8.8.8.8'), null), '8.8.8.0/24');
  t.equal(mmdbEntries(database, 'vpn').find(at('8.8.8.8'), null), null);
  t.equal(mmdbEntries(database, 'tor_exit').find(at('8.8.4.4'), null), null);
});

t.test('a file of lists is checked, and defaults depend on the format', async (t) => {
  const read = compileSchema(ListFileSchema);
  const lists = [
    { name: 'tor', signal: 'tor_exit', format: 'tor_exit', url: 'https://example.org/exits' },
    { name: 'dc', signal: 'hosting', format: 'cidrs', file: '/etc/dc.txt', max_age_s: 600 },
  ] as const;
  t.equal(read(lists).ok, true);
  t.same(listFileErrors([...lists]), []);
  t.match(listDefinitions([...lists]), [
    { refresh_s: 3600, max_age_s: 2 * 86_400 },
    { refresh_s: 86_400, max_age_s: 600 },
  ]);
  const [tor, dc] = lists;
  t.same(listFileErrors([dc, { ...dc, url: 'https://example.org/' }]), [
    'list "dc" occurs twice',
    'list "dc" needs either file or url',
  ]);
  t.same(listFileErrors([{ ...tor, signal: 'vpn' }]), ['list "tor": format tor_exit is for signal tor_exit']);
  const wrong = [
    [{ ...tor, signal: 'tor' }],
    [{ ...tor, refresh_s: 299 }],
    [{ ...tor, refresh_s: 604_801 }],
    [{ ...tor, url: 'ftp://x' }],
    [{ ...tor, more: 1 }],
    Array.from({ length: 51 }, () => dc),
  ];
  for (const file of wrong) t.equal(read(file).ok, false, JSON.stringify(file).slice(0, 80));
});
