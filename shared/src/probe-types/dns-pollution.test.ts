import t from 'tap';
import { isPolluted, type NodeAnswer } from './dns-pollution.js';

const NAME = 'site.example.com';

function answer(type: string, values: readonly string[], parts: Partial<NodeAnswer> = {}): NodeAnswer {
  return {
    rcode: 'NOERROR',
    records: values.map((value) => ({ name: NAME, type, value })),
    transport: 'udp',
    query_ms: 20,
    resolver_rtt_ms: 20,
    contradictions: 0,
    ...parts,
  };
}

const nxdomain = answer('A', [], { rcode: 'NXDOMAIN' });
const site = answer('A', ['93.184.216.34']);
const isFound = (type: string, ...answers: NodeAnswer[]) => isPolluted(type, answers, () => null);

t.test('pollution: what legitimately differs is no disagreement', async (t) => {
  t.notOk(isFound('A'), 'nobody');
  t.notOk(isFound('A', site), 'one');
  t.notOk(isFound('A', answer('A', ['1.1.1.1', '2.2.2.2']), answer('A', ['2.2.2.2', '1.1.1.1'])), 'order');
  t.notOk(isFound('A', nxdomain, answer('A', [])), 'nothing by either name');
  t.notOk(isFound('A', site, answer('A', [], { rcode: 'SERVFAIL' })), 'a failure is no answer');
  t.notOk(isFound('A', site, answer('A', [], { rcode: null })), 'nor is silence');
  t.notOk(isFound('NS', answer('NS', ['a.example.']), answer('NS', ['A.example.'])), 'letter case of names');
  const soa = (serial: number) => answer('SOA', [`ns.example. host.example. ${serial} 1 2 3 4`]);
  t.notOk(isFound('SOA', soa(1), soa(2)), 'a serial on its way');
  const https = (hint: string) => answer('HTTPS', [`1 . alpn="h2" ipv4hint=${hint} ech=AAAA`]);
  t.notOk(isFound('HTTPS', https('1.1.1.1'), https('2.2.2.2')), 'hints of addresses');
  t.notOk(
    isFound('CNAME', answer('CNAME', ['a.cdn.example.']), answer('CNAME', ['b.cdn.example.'])),
    'aliases of places',
  );
});

t.test('pollution: records for some and none for others is disagreement', async (t) => {
  t.ok(isFound('A', site, nxdomain));
  t.ok(isFound('A', site, answer('A', [])), 'no data either');
  t.ok(isFound('CNAME', answer('CNAME', ['a.example.']), answer('CNAME', [])));
  t.ok(isFound('A', site, answer('CNAME', ['b.example.'])), 'an alias alone is no address');
});

t.test('pollution: other values than the others’ are disagreement', async (t) => {
  t.ok(isFound('TXT', answer('TXT', ['"a"']), answer('TXT', ['"A"'])));
  t.ok(isFound('MX', answer('MX', ['10 a.example.']), answer('MX', ['10 a.example.', '20 b.example.'])));
  t.ok(isFound('SOA', answer('SOA', ['a. b. 1 2 3 4 5']), answer('SOA', ['x. b. 1 2 3 4 5'])));
});

t.test('pollution: addresses agree by address, by network, or where a network is not known', async (t) => {
  const networks: Record<string, number> = { '1.1.1.1': 1, '1.1.1.2': 1, '2.2.2.2': 2, '3.3.3.3': 3 };
  const asnOf = (address: string) => networks[address] ?? null;
  const found = (...sets: string[][]) =>
    isPolluted(
      'A',
      sets.map((set) => answer('A', set)),
      asnOf,
    );
  t.notOk(found(['1.1.1.1'], ['1.1.1.2']), 'one network');
  t.notOk(found(['1.1.1.1', '3.3.3.3'], ['2.2.2.2', '3.3.3.3']), 'one address in common');
  t.ok(found(['1.1.1.1'], ['2.2.2.2']), 'two networks');
  t.ok(found(['1.1.1.1'], ['1.1.1.2'], ['2.2.2.2']), 'one node of three');
  t.notOk(found(['1.1.1.1'], ['9.9.9.9']), 'a network that is not known accuses nobody');
  t.notOk(isFound('A', answer('A', ['1.1.1.1']), answer('A', ['2.2.2.2'])), 'nor does a place without any knowledge');
});

t.test('pollution: a reserved address is no valid answer', async (t) => {
  for (const address of ['10.0.0.1', '127.0.0.1', '0.0.0.0', '240.0.0.1', '169.254.169.254', '100.64.0.1'])
    t.ok(isFound('A', answer('A', [address])), address);
  for (const address of ['::1', 'fd00::1', '::ffff:10.0.0.1', '2001:db8::1', '64:ff9b::1'])
    t.ok(isFound('AAAA', answer('AAAA', [address])), address);
  t.notOk(isFound('AAAA', answer('AAAA', ['2606:4700::1'])));
  t.notOk(isFound('TXT', answer('TXT', ['"10.0.0.1"'])), 'in a text it is a text');
  t.ok(isFound('A', answer('A', ['hidden'], { reserved_address: true })), 'of one that is hidden the node says so');
  t.ok(isFound('A', site, answer('A', ['1.1.1.1', 'hidden'], { reserved_address: true })));
  t.notOk(isFound('HTTPS', answer('HTTPS', ['1 . ipv4hint=hidden']), answer('HTTPS', ['1 . ipv4hint=1.1.1.1'])));
  t.notOk(isFound('A', answer('A', ['93.184.216.34'], { reserved_address: false })));
});

t.test('pollution: an answer in less than half the way there and back was not the resolver’s', async (t) => {
  const timed = (query_ms: number, resolver_rtt_ms: number | null, transport = 'udp') =>
    isFound('A', answer('A', ['1.1.1.1'], { query_ms, resolver_rtt_ms, transport }));
  t.ok(timed(9.9, 20));
  t.notOk(timed(10, 20), 'exactly half');
  t.notOk(timed(9.9, null), 'without a measured way');
  t.notOk(timed(0.1, 4), 'within what a handshake may be late');
  t.notOk(timed(1, 200, 'tcp'), 'a connection has seen the server');
});

t.test('pollution: two different answers to one query are a forgery and its original', async (t) => {
  t.ok(isFound('A', answer('A', ['1.1.1.1'], { contradictions: 1 })));
});
