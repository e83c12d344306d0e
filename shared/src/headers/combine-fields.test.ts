import t from 'tap';
import { combineFields } from './combine-fields.js';
import { locationUrl } from './location.js';

const combined = (name: string, ...values: string[]) =>
  combineFields(values.map((value) => ({ name, value })))[name.toLowerCase()];

t.test('lines of a list are joined, and a field that is none keeps its first value', async (t) => {
  t.equal(combined('Vary', 'a', 'a', 'b'), 'a, a, b');
  t.equal(combined('X-Own', 'a', 'b'), 'a, b');
  t.equal(combined('Retry-After', '120', '120'), '120');
  t.equal(combined('Retry-After', '120', '60'), '120');
  t.equal(combined('Location', '', '/a', '/b'), '/a');
  t.equal(combined('Strict-Transport-Security', 'max-age=1', 'max-age=2'), 'max-age=1');
  t.strictSame(combineFields([{ name: '__proto__', value: 'a' }]), Object.fromEntries([['__proto__', 'a']]));
});

t.test('the last media type of several counts', async (t) => {
  t.equal(combined('Content-Type', 'text/html', 'text/html'), 'text/html');
  t.equal(combined('Content-Type', 'text/html', 'text/plain; charset=gbk'), 'text/plain; charset=gbk');
  t.equal(combined('Content-Type', 'text/html', 'nonsense'), 'text/html');
  t.equal(combined('Content-Type', 'nonsense', 'text/html'), 'text/html');
  t.equal(combined('Content-Type', '', ''), '');
});

t.test('a Location is resolved with the bytes that came', async (t) => {
  const href = (location: string) => locationUrl(location, 'http://example.com/a/b')?.href;
  t.equal(href('c?d'), 'http://example.com/a/c?d');
  t.equal(href('/voil\xc3\xa0'), 'http://example.com/voil%C3%A0');
  t.equal(href('/caf\xe9?q=\xe9'), 'http://example.com/caf%E9?q=%E9');
  t.equal(href('/a%2Fb c'), 'http://example.com/a%2Fb%20c');
  t.equal(href('http://b\xc3\xbccher.example/'), 'http://xn--bcher-kva.example/');
  t.equal(href('http://['), undefined);
});
