import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import t from 'tap';
import { CookieJar } from './cookie-jar.js';

/** The header Cookie for `to`, after `from` has set these cookies. */
function sent(
  cookies: readonly string[],
  to: string,
  from = 'http://site.example.com/a/b',
  clock = new FakeClock(),
): string {
  const jar = new CookieJar(clock);
  jar.store(
    new URL(from),
    cookies.flatMap((cookie) => ['Set-Cookie', cookie]),
  );
  return jar.headerFor(new URL(to));
}

const there = 'http://site.example.com/a/c';
const secureThere = 'https://site.example.com/a/c';

t.test('a cookie goes back to the host and path that it is for, over TLS if it is secure', async (t) => {
  const cases: { what: string; cookie: string; to?: string; from?: string; expected: string }[] = [
    { what: 'to the same folder', cookie: 'a=1', expected: 'a=1' },
    { what: 'to a folder below', cookie: 'a=1', to: `${there}/d?x=1`, expected: 'a=1' },
    { what: 'not to the folder above', cookie: 'a=1', to: 'http://site.example.com/', expected: '' },
    { what: 'to every folder by Path=/', cookie: 'a=1; Path=/', to: 'http://site.example.com/', expected: 'a=1' },
    { what: 'to a path by itself', cookie: 'a=1; path=/a/c', expected: 'a=1' },
    { what: 'not to a path that only begins alike', cookie: 'a=1; Path=/a/c', to: `${there}d`, expected: '' },
    { what: 'a relative Path counts as none', cookie: 'a=1; Path=x', expected: 'a=1' },
    { what: 'to another port', cookie: 'a=1', to: 'http://site.example.com:8080/a/', expected: 'a=1' },
    { what: 'to TLS', cookie: 'a=1', to: secureThere, expected: 'a=1' },
    { what: 'not to another host', cookie: 'a=1', to: 'http://example.com/a/', expected: '' },
    {
      what: 'not to a host below, whatever Domain says',
      cookie: 'a=1; Domain=example.com',
      to: 'http://www.example.com/a/',
      expected: '',
    },
    { what: 'from a host below Domain', cookie: 'a=1; Domain=.Example.com', expected: 'a=1' },
    { what: 'not with the Domain of another host', cookie: 'a=1; Domain=other.example.com', expected: '' },
    { what: 'not with a Domain that only ends alike', cookie: 'a=1; Domain=ite.example.com', expected: '' },
    { what: 'secure', cookie: 'a=1; Secure', to: secureThere, from: secureThere, expected: 'a=1' },
    { what: 'secure, not in the clear', cookie: 'a=1; Secure', from: secureThere, expected: '' },
    { what: 'secure, not from the clear', cookie: 'a=1; Secure', to: secureThere, expected: '' },
    {
      what: 'a prefix that is kept',
      cookie: '__Host-a=1; Secure; Path=/',
      to: secureThere,
      from: secureThere,
      expected: '__Host-a=1',
    },
    { what: 'a prefix that is broken', cookie: '__Host-a=1; Secure', to: secureThere, from: secureThere, expected: '' },
    { what: 'without a name', cookie: 'value', expected: 'value' },
    { what: 'with = in the value, quotes and bytes', cookie: ' a = "b=\xc3\xa0" ;x', expected: 'a="b=\xc3\xa0"' },
    { what: 'an empty value', cookie: 'a=', expected: 'a=' },
    { what: 'nothing', cookie: ' ; Path=/', expected: '' },
    { what: 'a control character', cookie: 'a=b\x01', expected: '' },
  ];
  for (const { what, cookie, to = there, from, expected } of cases) t.equal(sent([cookie], to, from), expected, what);
});

t.test('a cookie lives as long as it says, and is replaced by one of its name, path and host', async (t) => {
  const past = 'Thu, 01-Jan-1970 00:00:00 GMT';
  const cases: { what: string; cookies: string[]; expected: string }[] = [
    { what: 'the later one counts, in the place of the first', cookies: ['a=1', 'b=2', 'a=3'], expected: 'a=3; b=2' },
    { what: 'another path is another cookie, longest first', cookies: ['a=1; Path=/', 'a=2'], expected: 'a=2; a=1' },
    { what: 'Max-Age=0 removes', cookies: ['a=1', 'b=2', 'a=; Max-Age=0'], expected: 'b=2' },
    { what: 'a negative Max-Age removes', cookies: ['a=1', 'a=; Max-Age=-1'], expected: '' },
    { what: 'a past date removes', cookies: ['a=1', `a=; Expires=${past}`], expected: '' },
    { what: 'a past date in the form of C', cookies: ['a=1', 'a=; Expires=Thu Jan  1 00:00:00 1970'], expected: '' },
    { what: 'Max-Age before Expires', cookies: [`a=1; Expires=${past}; Max-Age=60`], expected: 'a=1' },
    { what: 'a future date', cookies: ['a=1; Expires=Wed, 21 Oct 2099 07:28:00 GMT'], expected: 'a=1' },
    { what: 'what is no date', cookies: ['a=1; Expires=0', 'b=2; Max-Age=x'], expected: 'a=1; b=2' },
  ];
  for (const { what, cookies, expected } of cases) t.equal(sent(cookies, there), expected, what);
  const clock = new FakeClock();
  const jar = new CookieJar(clock);
  jar.store(new URL(there), ['set-cookie', 'a=1; Max-Age=2']);
  clock.advance(1999);
  t.equal(jar.headerFor(new URL(there)), 'a=1');
  clock.advance(1);
  t.equal(jar.headerFor(new URL(there)), '');
});

t.test('cookies are bounded in number and size', async (t) => {
  const many = sent(
    Array.from({ length: 5000 }, (_, i) => `n${i}=1`),
    there,
  );
  t.equal(many.split('; ').length, 50);
  t.equal(sent([`a=${'x'.repeat(4096)}`, `b=${'x'.repeat(4095)}`], there), `b=${'x'.repeat(4095)}`);
  t.equal(sent([`a=1; x=${'x'.repeat(10_000)}`], there), '');
  const large = Array.from({ length: 50 }, (_, i) => `${i}=${'x'.repeat(4000)}`);
  t.ok(sent(large, there).length <= 16 * 1024 + 8);
  t.match(sent([...large, `0=${'y'.repeat(4000)}`], there), /^0=y/, 'one that is known is still replaced');
});
