import t from 'tap';
import { parseHost } from './host.js';
import { targetKeys } from './target-keys.js';

const keysOf = (text: string) => targetKeys(parseHost(text));

t.test('a name counts as its registrable domain', async (t) => {
  t.same(keysOf('example.com'), ['domain:example.com']);
  t.same(keysOf('a.b.example.com'), ['domain:example.com']);
  t.same(keysOf('a.b.example.co.uk'), ['domain:example.co.uk']);
  t.same(keysOf('_dmarc.example.com'), ['domain:example.com']);
  t.same(keysOf('www.Bücher.example'), ['domain:xn--bcher-kva.example']);
  t.same(keysOf('co.uk'), ['domain:co.uk'], 'a public suffix counts as itself');
});

t.test('names that anyone can register under a shared domain count as one', async (t) => {
  t.same(keysOf('victim-1.duckdns.org'), keysOf('victim-2.duckdns.org'));
});

t.test('an address counts by itself and with its neighbours', async (t) => {
  t.same(keysOf('8.8.4.255'), ['address:8.8.4.255', 'network:8.8.4.0/24']);
  t.same(keysOf('::ffff:8.8.4.255'), keysOf('8.8.4.255'));
  t.same(keysOf('2606:4700:1234:5678::9'), ['address:2606:4700:1234:5678::9', 'network:2606:4700:1234::/48']);
  t.same(keysOf('2606::1'), ['address:2606::1', 'network:2606::/48']);
});

t.test('a host that was never parsed is a mistake of ours', async (t) => {
  t.throws(() => targetKeys({ kind: 'address', address: '127.1', family: 4 }), { name: 'RangeError' });
});
