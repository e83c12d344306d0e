import fc from 'fast-check';
import t from 'tap';
import { rounds } from '../_support/rounds.js';
import { verdictOf } from './_support/verdict.js';
import { formatHost } from './host.js';
import { parseHttpUrl } from './url.js';

t.test('a URL comes back canonical with its host and port', async (t) => {
  const cases: readonly (readonly [text: string, href: string, host: string, port: number])[] = [
    ['http://example.com', 'http://example.com/', 'example.com', 80],
    ['HTTPS://EXAMPLE.com./A?b=C#d', 'https://example.com/A?b=C#d', 'example.com', 443],
    ['https://example.com:443/', 'https://example.com/', 'example.com', 443],
    ['http://example.com:8080', 'http://example.com:8080/', 'example.com', 8080],
    ['http://example.com:443/', 'http://example.com:443/', 'example.com', 443],
    ['http://example.com?x=1', 'http://example.com/?x=1', 'example.com', 80],
    ['http://Bücher.example/ü', 'http://xn--bcher-kva.example/%C3%BC', 'xn--bcher-kva.example', 80],
    ['http://8.8.8.8/', 'http://8.8.8.8/', '8.8.8.8', 80],
    ['http://[2606:4700::1]:81/', 'http://[2606:4700::1]:81/', '[2606:4700::1]', 81],
    ['http://[::ffff:8.8.8.8]/x', 'http://8.8.8.8/x', '8.8.8.8', 80],
    ['http://example.com/a/../b?u=http://10.0.0.1/@', 'http://example.com/b?u=http://10.0.0.1/@', 'example.com', 80],
    ['http://example.com#@10.0.0.1/', 'http://example.com/#@10.0.0.1/', 'example.com', 80],
  ];
  for (const [text, href, host, port] of cases) {
    const parsed = parseHttpUrl(text);
    t.same([parsed.url.href, formatHost(parsed.host), parsed.port], [href, host, port], text);
  }
});

t.test('malformed: what is no http URL', async (t) => {
  const cases = [
    '',
    'example.com',
    'example.com/a',
    'localhost:3000',
    '//example.com',
    'http:example.com',
    'http:/example.com',
    'http://',
    'http:///example.com',
    'http://?x',
    'http://:80/',
    'javascript:alert(1)',
    'mailto:a@b.c',
    ' http://example.com',
    'http://example.com ',
    'http://exam ple.com',
    'ht\ttp://example.com',
    'http://example.com\n',
    'http://example.com/a\rb',
    'http://example.com/\0',
    'http://example.com/\u007f',
    'http://example.com/a b',
    '\ufeffhttp://example.com',
    'http://127.0.0.1\\@example.com',
    'http://example.com\\@127.0.0.1/',
    'http:\\\\example.com',
    'http://example.com/a\\b',
    'http://example.com:',
    'http://example.com:/',
    'http://example.com:0',
    'http://example.com:65536',
    'http://example.com:080',
    'http://example.com:8x',
    'http://example.com:80:80',
    'http://exa%6dple.com',
    'http://a..b/',
    'http://[::1',
    'http://[example.com]/',
    'http://2606:4700::1/',
    'http://::ffff:8.8.8.8/',
    'http://[2606:4700::1]x/',
    'http://exa<mple.com',
    'http://a,b.com',
  ];
  for (const text of cases)
    t.equal(
      verdictOf(() => parseHttpUrl(text)),
      'malformed target',
      JSON.stringify(text),
    );
});

t.test('refused: other schemes, user information, hosts not written canonically', async (t) => {
  const cases = [
    'ftp://example.com',
    'file:///etc/passwd',
    'gopher://x',
    'ws://example.com',
    'HTTPX://example.com',
    'http+unix://example.com',
    'http://u:p@example.com',
    'http://u@example.com',
    'http://@example.com',
    'http://:@example.com/',
    'http://example.com@10.0.0.1/',
    'http://a@b@example.com/',
    'http://0x7f.1/',
    'http://127.1/',
    'http://%31%32%37.0.0.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://8.8.8.8./',
    'http://127。0。0。1/',
    'http://①②⑦.0.0.1/',
    'http://1.2.3.4.5/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[fe80::1%25eth0]/',
    'http://localhost/',
    'http://router/',
    'http://-a.example/',
    'http://exa\u00admple.com/',
    'http://metadata.google.internal/computeMetadata/v1/',
  ];
  for (const text of cases)
    t.equal(
      verdictOf(() => parseHttpUrl(text)),
      'refused target',
      JSON.stringify(text),
    );
});

t.test('refused: ports that browsers block, mail submission, databases and caches', async (t) => {
  const blocked = [
    1, 7, 19, 21, 22, 23, 25, 53, 110, 123, 139, 143, 389, 465, 587, 636, 993, 995, 2049, 2525, 5060, 6000, 6667, 10080,
    1433, 1521, 3306, 5432, 5984, 6379, 9042, 9200, 11211, 27017,
  ];
  for (const port of blocked) {
    t.equal(
      verdictOf(() => parseHttpUrl(`http://example.com:${port}/`)),
      'refused target',
      String(port),
    );
    t.equal(
      verdictOf(() => parseHttpUrl(`https://[2606:4700::1]:${port}/`, 'location')),
      'refused location',
      String(port),
    );
  }
  for (const port of [80, 81, 443, 591, 3000, 4443, 5000, 8000, 8008, 8080, 8443, 8888, 9000, 9090, 65535]) {
    t.equal(
      verdictOf(() => parseHttpUrl(`http://example.com:${port}/`)),
      'allowed',
      String(port),
    );
  }
});

t.test('no ephemeral port is blocked', async (t) => {
  for (let port = 32768; port <= 65535; port += 1) {
    if (verdictOf(() => parseHttpUrl(`http://example.com:${port}/`)) !== 'allowed') t.fail(String(port));
  }
});

t.test('a message never shows the URL', async (t) => {
  for (const text of [
    'http://user:hunter2@example.com',
    'http:hunter2',
    'http://example.com/hunter2 ',
    'http://example.com/\\hunter2',
    'http://[x]/?hunter2',
  ]) {
    try {
      parseHttpUrl(text);
      t.fail(text);
    } catch (error) {
      t.notMatch(String(error), 'hunter2', text);
    }
  }
});

t.test('what is accepted has the host that was written, and parses to itself', async () => {
  const piece = fc.constantFrom(
    'http',
    'https',
    'ftp',
    ':',
    '//',
    '/',
    '\\',
    '@',
    '?',
    '#',
    '[',
    ']',
    '::1',
    '2606:4700::1',
    '127.1',
    '8.8.8.8',
    'example.com',
    'EXAMPLE.com',
    '.',
    ':80',
    ':25',
    '%2e',
    '％',
    '①',
    ' ',
    '\t',
    'ü',
    'a=b',
    '-',
  );
  const text = fc
    .tuple(fc.constantFrom('http://', 'https://', ''), fc.array(piece, { maxLength: 6 }))
    .map(([start, pieces]) => start + pieces.join(''));
  fc.assert(
    fc.property(text, (candidate) => {
      let parsed: ReturnType<typeof parseHttpUrl>;
      try {
        parsed = parseHttpUrl(candidate);
      } catch {
        return true;
      }
      const authority = /^https?:\/\/([^/?#]*)/i.exec(candidate)?.[1] ?? '';
      const written = authority.replace(/:\d+$/, '').replace(/\.$/, '').toLowerCase();
      const { url, host } = parsed;
      return (
        url.hostname === formatHost(host) &&
        url.username === '' &&
        new URL(`http://${written}/`).hostname === url.hostname &&
        parseHttpUrl(url.href).url.href === url.href
      );
    }),
    { numRuns: rounds(5000) },
  );
});
