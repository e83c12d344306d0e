import t from 'tap';
import { blocksOf, parseRange, rangeBetween } from './address-blocks.js';
import { addressUrl, parseBootstrap } from './bootstrap-file.js';

t.test('a range is the fewest blocks that make it up', async (t) => {
  const cases: [first: string, last: string, blocks: string[]][] = [
    ['203.0.113.128', '203.0.115.127', ['203.0.113.128/25', '203.0.114.0/24', '203.0.115.0/25']],
    ['203.0.113.1', '203.0.113.4', ['203.0.113.1/32', '203.0.113.2/31', '203.0.113.4/32']],
    ['0.0.0.0', '255.255.255.255', ['0.0.0.0/0']],
    ['2a01:4f8::', '2a01:4f8:ffff:ffff:ffff:ffff:ffff:ffff', ['2a01:4f8::/32']],
  ];
  for (const [first, last, blocks] of cases) {
    const range = rangeBetween(first, last);
    t.strictSame(range && blocksOf(range), blocks, `${first} ${last}`);
  }
  const widest = rangeBetween('::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe');
  t.equal(widest && blocksOf(widest).length, 64, 'and no more of them than a result keeps');
});

t.test('ranges are read as registries write them, and nothing else is one', async (t) => {
  const block = parseRange('200.160.0.0 - 200.160.15.255');
  t.strictSame(parseRange('200.160/20'), block);
  t.strictSame(parseRange('200.160.0.0/20'), block);
  for (const text of ['', 'x', '200.160/33', '200.160.0.9 - 200.160.0.1', '1.2.3.4 - 2a00::', '2a00::/x'])
    t.equal(parseRange(text), null, text);
});

t.test('of the blocks of a bootstrap file the smallest one that has the address counts', async (t) => {
  const services = parseBootstrap({
    services: [
      [
        ['203.0.0.0/8', '2a00::/12'],
        ['http://wide.example', 'https://wide.example/rdap'],
      ],
      [['203.0.112.0/20'], ['https://narrow.example/']],
      [['203.0.114.0/25', 'x'], ['https://other.example/']],
    ],
  });
  const urlOf = (address: string) => services && addressUrl(services, address);
  t.equal(urlOf('203.0.114.200'), 'https://narrow.example/ip/203.0.114.200');
  t.equal(urlOf('203.9.0.1'), 'https://wide.example/rdap/ip/203.9.0.1');
  t.equal(urlOf('2a01::1'), 'https://wide.example/rdap/ip/2a01::1');
  t.equal(urlOf('198.51.0.1'), null);
});
