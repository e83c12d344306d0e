import type { IncomingMessage } from 'node:http';
import t from 'tap';
import { clientAddress, parseTrustedProxies } from './client-address.js';

/** Only what clientAddress reads of a request. */
const request = (remoteAddress: string | undefined, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

const cases: readonly {
  readonly name: string;
  readonly trusted: readonly string[];
  readonly peer: string | undefined;
  readonly forwarded?: string;
  readonly address: string;
}[] = [
  { name: 'nobody is trusted', trusted: [], peer: '192.0.2.1', forwarded: '198.51.100.1', address: '192.0.2.1' },
  {
    name: 'the peer is no proxy',
    trusted: ['10.0.0.0/8'],
    peer: '192.0.2.1',
    forwarded: '1.1.1.1',
    address: '192.0.2.1',
  },
  { name: 'one proxy', trusted: ['10.0.0.0/8'], peer: '10.1.2.3', forwarded: '198.51.100.1', address: '198.51.100.1' },
  {
    name: 'what the caller forged stands left of the address that counts',
    trusted: ['10.0.0.0/8'],
    peer: '10.0.0.1',
    forwarded: '127.0.0.1, 198.51.100.1, 10.0.0.2',
    address: '198.51.100.1',
  },
  { name: 'a proxy that sent nothing', trusted: ['10.0.0.1'], peer: '10.0.0.1', address: '10.0.0.1' },
  {
    name: 'only proxies',
    trusted: ['10.0.0.0/8'],
    peer: '10.0.0.1',
    forwarded: '10.0.0.3, 10.0.0.2',
    address: '10.0.0.3',
  },
  {
    name: 'rubbish ends the walk',
    trusted: ['10.0.0.0/8'],
    peer: '10.0.0.1',
    forwarded: '1.1.1.1, unknown',
    address: '10.0.0.1',
  },
  {
    name: 'with ports',
    trusted: ['10.0.0.0/8'],
    peer: '10.0.0.1',
    forwarded: '198.51.100.1:4711',
    address: '198.51.100.1',
  },
  {
    name: 'a proxy with its port',
    trusted: ['10.0.0.0/8'],
    peer: '10.0.0.1',
    forwarded: '198.51.100.1, 10.0.0.2:4711',
    address: '198.51.100.1',
  },
  { name: 'IPv6', trusted: ['2001:db8::/32'], peer: '2001:db8::1', forwarded: '[2a00::1]:443', address: '2a00::1' },
  {
    name: 'mapped peer',
    trusted: ['127.0.0.1'],
    peer: '::ffff:127.0.0.1',
    forwarded: '::ffff:192.0.2.9',
    address: '192.0.2.9',
  },
  {
    name: 'mapped in other words',
    trusted: ['10.0.0.1'],
    peer: '10.0.0.1',
    forwarded: '::FFFF:C000:209',
    address: '192.0.2.9',
  },
  {
    name: 'IPv6 in other words, with a zone',
    trusted: ['10.0.0.1'],
    peer: '10.0.0.1',
    forwarded: '[2001:0DB8:0::01%eth0]:443',
    address: '2001:db8::1',
  },
  { name: 'a neighbour by its interface', trusted: [], peer: 'fe80::1%eth0', address: 'fe80::1' },
  {
    name: 'octal numbers',
    trusted: ['10.0.0.1'],
    peer: '10.0.0.1',
    forwarded: '010.0.0.1',
    address: '10.0.0.1',
  },
  { name: 'mapped without proxies', trusted: [], peer: '::ffff:192.0.2.9', address: '192.0.2.9' },
  { name: 'the connection is gone', trusted: ['10.0.0.1'], peer: undefined, forwarded: '1.1.1.1', address: '' },
];

t.test('the caller is the right-most address that no trusted proxy has', async (t) => {
  for (const { name, trusted, peer, forwarded, address } of cases) {
    t.equal(clientAddress(request(peer, forwarded), parseTrustedProxies(trusted)), address, name);
  }
});

t.test('an entry that is neither an address nor a range is refused by name', async (t) => {
  for (const entry of ['proxy.example', '10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/x', '', '10.0.0.0/-1']) {
    t.throws(() => parseTrustedProxies([entry]), { name: 'RangeError', message: `trusted proxy "${entry}"` }, entry);
  }
});
