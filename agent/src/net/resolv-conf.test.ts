import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { parseResolvConf, ResolvConf } from './resolv-conf.js';

t.test('resolv.conf names its servers as the C library reads them', async (t) => {
  const cases = [
    {
      what: 'two servers',
      text: 'nameserver 192.0.2.1\nnameserver 2001:db8::1\n',
      servers: ['192.0.2.1', '2001:db8::1'],
    },
    {
      what: 'comments, options, search',
      text: '# a\n;nameserver 1.1.1.1\nsearch x.y\noptions ndots:2\nnameserver\t192.0.2.1 \n',
      servers: ['192.0.2.1'],
    },
    { what: 'a zone', text: 'nameserver fe80::1%eth0\n', servers: ['fe80::1%eth0'] },
    { what: 'no addresses', text: 'nameserver localhost\nnameserver 1.2.3\n', servers: ['127.0.0.1'] },
    { what: 'nothing', text: '', servers: ['127.0.0.1'] },
    {
      what: 'more than three',
      text: [1, 2, 3, 4].map((n) => `nameserver 192.0.2.${n}`).join('\n'),
      servers: ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
    },
  ];
  for (const { what, text, servers } of cases) t.strictSame(parseResolvConf(text), servers, what);
});

t.test('resolv.conf is read again when it changes, and may go away', async (t) => {
  const path = `${t.testdir({ 'resolv.conf': 'nameserver 192.0.2.1\n' })}/resolv.conf`;
  const file = new ResolvConf(path);
  t.strictSame(file.servers(), ['192.0.2.1']);
  writeFileSync(path, 'nameserver 192.0.2.2\n');
  utimesSync(path, 1_000_000, 1_000_000);
  t.strictSame(file.servers(), ['192.0.2.2']);
  rmSync(path);
  t.strictSame(file.servers(), ['127.0.0.1']);
});
