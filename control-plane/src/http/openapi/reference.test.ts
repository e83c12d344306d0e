import t from 'tap';
import { thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { errorTable } from '../error-table.js';
import { returnedCodes } from '../frame/declared-errors.js';
import { referenceRoutes } from './reference.js';

const options = {
  publicUrl: 'http://localhost',
  version: '1.2.3',
  tags: { Things: 'All about things.', Reference: 'This.' },
};
const routes = [...thingRoutes(), ...referenceRoutes(thingRoutes(), options).routes];

t.test('GET /v1/openapi.json is the bare document, with an ETag that saves sending it again', async (t) => {
  const { url } = await startTestServer(t, routes);
  const response = await fetch(`${url}/v1/openapi.json`);
  const etag = response.headers.get('etag') ?? '';
  t.match(await response.json(), { openapi: '3.1.0', paths: { '/v1/things': {}, '/v1/openapi.json': {} } });
  t.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await fetch(`${url}/v1/openapi.json`, { headers: { 'If-None-Match': known } });
    t.equal(again.status, 304, known);
    t.equal(await again.text(), '');
    t.equal(again.headers.get('etag'), etag);
  }
  t.equal((await fetch(`${url}/v1/openapi.json`, { headers: { 'If-None-Match': '"other"' } })).status, 200);
});

t.test('other work has its turn between the operations of the document, and it is built once', async (t) => {
  let turns = 0;
  const count = () => {
    turns += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  t.teardown(() => clearImmediate(next));
  const { prepare } = referenceRoutes(thingRoutes(), options);
  const content = await prepare();
  t.ok(turns >= thingRoutes().length, `${turns} turns`);
  t.equal(await prepare(), content);
});

t.test('the reference lists every operation, and each leads to its place on the page of its group', async (t) => {
  const { url } = await startTestServer(t, routes);
  const index = await fetch(`${url}/docs?lang=zh-CN`);
  t.match(index.headers.get('content-security-policy'), "default-src 'none'");
  const markup = await index.text();
  const links = [...markup.matchAll(/<li><a href="([^"#]*)#(\w+)"><code>(\S+ \S+)<\/code>/g)].map(
    ([, ...link]) => link,
  );
  const path = '/docs/things?lang=zh-CN';
  t.strictSame(links, [
    [path, 'getThing', 'GET /v1/things/{id}'],
    [path, 'createThing', 'POST /v1/things'],
    [path, 'createOwnThing', 'POST /v1/own-things'],
    [path, 'createAdminThing', 'POST /v1/admin-things'],
    ['/docs/reference?lang=zh-CN', 'getOpenApi', 'GET /v1/openapi.json'],
  ]);
  for (const [page, id] of links)
    t.match(await (await fetch(url + page)).text(), `<section class="operation" id="${id}">`);
  t.equal((await fetch(`${url}/docs/nothing`)).status, 404);
});

t.test('an operation in the reference has its scope, parameters, fields, errors and a command to paste', async (t) => {
  const { url } = await startTestServer(t, routes);
  const page = await (await fetch(`${url}/docs/things`)).text();
  const sectionOf = (id: string) =>
    page.split('<section class="operation" ').find((text) => text.startsWith(`id="${id}"`));
  const own = sectionOf('createOwnThing') ?? '';
  t.match(own, '<b>POST</b> <code>/v1/own-things</code> <span class="pill none">probe</span>');
  t.match(own, /<code>name<\/code> <b>required<\/b>.*>string, 1 to 40000 characters</);
  t.match(own, /<code>count<\/code><.*>integer, 1 to 10<.*Default: <code>3<\/code>/);
  t.match(own, /<code>labels<\/code><.*>map of string</);
  t.match(own, /<code>409<\/code>.*<a href="\/docs\/errors\/CONFLICT"><code>CONFLICT<\/code><\/a>/);
  t.match(
    own.replaceAll('&#39;', "'").replaceAll('&quot;', '"'),
    `curl -s -X POST 'http://localhost/v1/own-things' \\
  -H "Authorization: Bearer $TOKEN" \\
  -H 'Content-Type: application/json' \\
  -d '{"name":"a thing"}'`,
  );
  const get = sectionOf('getThing') ?? '';
  t.match(get, /<code>id<\/code> in path <b>required<\/b>/);
  t.match(get, /<code>wait<\/code> in query<.*>integer, 1 to 30</);
  t.match(get, 'credentials optional');
});

t.test(
  'every error code that an operation returns has a page in each language, with a remedy, and no other has',
  async (t) => {
    const { url } = await startTestServer(t, routes);
    const index = await (await fetch(`${url}/docs/errors?lang=zh-TW`)).text();
    t.notMatch(index, 'undefined');
    const sections = index.split('<h2>').slice(1);
    for (const code of returnedCodes(routes)) {
      const { messages, statuses } = errorTable[code];
      const response = await fetch(`${url}/docs/errors/${code}`);
      const markup = await response.text();
      t.equal(response.status, 200, code);
      for (const message of [messages['zh-CN'], messages['zh-TW']]) t.ok(markup.includes(message), message);
      t.notMatch(markup, 'undefined', `${code}: advice for each status`);
      for (const status of statuses) {
        t.match(markup, `${status} `, `${code} ${status}`);
        const section = sections.find((text) => text.startsWith(`${status} `)) ?? '';
        t.ok(section.includes(`href="/docs/errors/${code}?lang=zh-TW"`), `${status} ${code}`);
      }
    }
    for (const code of ['MONITOR_PAUSED', 'NO_SUCH_CODE', 'constructor']) {
      t.notMatch(index, code);
      t.equal((await fetch(`${url}/docs/errors/${code}`)).status, 404, code);
    }
  },
);

t.test('the page of an error is in the requested language, by the URL before the header', async (t) => {
  const { url } = await startTestServer(t, routes);
  const read = async (query: string, language: string) => {
    const headers = { 'Accept-Language': language };
    const response = await fetch(`${url}/docs/errors/AUTH_REQUIRED${query}`, { headers });
    const markup = await response.text();
    const heading = /<h2>(.*?)<\/h2>/.exec(markup)?.[1];
    const meaning = /<p class="lead">(.*?)<\/p>/.exec(markup)?.[1];
    return {
      meaning,
      heading,
      lang: /<html lang="(.*?)"/.exec(markup)?.[1],
      sent: response.headers.get('content-language'),
    };
  };
  const { messages } = errorTable.AUTH_REQUIRED;
  const traditional = { meaning: messages['zh-TW'], heading: '如何處理', lang: 'zh-TW', sent: 'zh-TW' };
  t.strictSame(await read('', 'zh-HK'), traditional);
  t.strictSame(await read('?lang=zh-TW', 'en'), traditional);
  t.strictSame(await read('?lang=tlh', 'zh-CN'), {
    meaning: messages['zh-CN'],
    heading: '如何处理',
    lang: 'zh-CN',
    sent: 'zh-CN',
  });
  t.match(await read('', 'de'), { meaning: messages.en, heading: 'What to do', lang: 'en' });
});

t.test('the page of an error leads to the operations that return it', async (t) => {
  const { url } = await startTestServer(t, routes);
  const read = async (code: string) => (await fetch(`${url}/docs/errors/${code}`)).text();
  const links = [...(await read('AUTH_REQUIRED')).matchAll(/href="\/docs\/(\w+#[^"]*)"/g)].map((match) => match[1]);
  t.strictSame(links, ['things#createOwnThing', 'things#createAdminThing']);
  t.match(await read('NODE_NOT_FOUND'), 'href="/docs/things#getThing"');
  t.match(await read('INTERNAL_ERROR'), 'Every operation of the API may return it.');
});
