import t from 'tap';
import { acceptableUrls, ControlUrls } from './control-urls.js';

const [a, b, c] = ['https://a.example', 'https://b.example', 'https://c.example'] as const;

t.test('the URL that worked last is dialled, the next one after a failure', async (t) => {
  const urls = new ControlUrls([a, b, c]);
  urls.failed(urls.next());
  t.equal(urls.next(), b);
  urls.worked(b);
  t.equal(urls.next(), b);
  for (const _ of [1, 2]) urls.failed(urls.next());
  t.equal(urls.next(), a);
});

t.test('hints come first, once each, and then the list continues where it was', async (t) => {
  const urls = new ControlUrls([a, b]);
  urls.worked(a);
  urls.hint([c, b]);
  urls.hint([]);
  t.same([urls.next(), urls.next(), urls.next(), urls.next()], [c, b, a, a]);
});

t.test('all have been tried when each has failed once since the last link', async (t) => {
  const urls = new ControlUrls([a, b]);
  t.equal(urls.hasUntried, true);
  urls.failed(urls.next());
  t.equal(urls.hasUntried, true);
  urls.failed(urls.next());
  t.equal(urls.hasUntried, false);
  urls.worked(urls.next());
  t.equal(urls.hasUntried, true);
});

t.test('a new list keeps the URL in use where it is in it', async (t) => {
  const urls = new ControlUrls([a]);
  urls.replace([b, a], a);
  t.equal(urls.next(), a);
  urls.replace([b, c], a);
  t.equal(urls.next(), b);
});

t.test('a node that enrolled over https is never sent to http, nor anywhere with a path or credentials', async (t) => {
  const reported = [
    'http://b.example',
    'https://c.example/x',
    'https://u:p@c.example',
    'ftp://c.example',
    'nonsense',
    c,
    `${c}/`,
  ];
  t.same(acceptableUrls([a], reported), [c]);
  t.same(acceptableUrls([a], ['http://127.0.0.1:8080']), ['http://127.0.0.1:8080'], 'this machine is no network');
  t.same(
    acceptableUrls(['http://10.0.0.1'], ['http://10.0.0.2']),
    ['http://10.0.0.2'],
    'unless it was let, at enrollment',
  );
  t.equal(
    acceptableUrls(
      [a],
      Array.from({ length: 99 }, (_, i) => `https://h${i}.example`),
    ).length,
    16,
  );
});
