import t from 'tap';
import { thingRoutes } from '../../../test/_support/http-routes.js';
import { startTestServer } from '../../../test/_support/http-server.js';
import { errorTable } from '../error-table.js';
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

t.test('/docs and all it loads come from this server, under a policy that allows no other', async (t) => {
  const { url } = await startTestServer(t, routes);
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get('content-security-policy') ?? '';
  t.match(policy, "connect-src 'self'");
  t.match(policy, "script-src 'self';");
  t.notMatch(policy, 'http');
  const markup = await page.text();
  const assets = [...markup.matchAll(/(?:src|href)="(\/docs\/[^"]+\.\w+)"/g)].map((match) => match[1] as string);
  t.equal(assets.length, 4);
  t.notMatch(markup, /(?:src|href)="(?!\/|data:|\?)/);
  t.match(markup, /<noscript>.*href="\/v1\/openapi\.json".*<\/noscript>/);
  for (const asset of assets) {
    const response = await fetch(url + asset);
    t.equal(response.status, 200, asset);
    t.match(response.headers.get('content-type'), asset.endsWith('.js') ? 'text/javascript' : 'text/css');
    t.ok((await response.arrayBuffer()).byteLength > 100, asset);
    t.ok(response.headers.get('etag'));
  }
  t.match(await (await fetch(`${url}/docs/reference.js`)).text(), 'validatorUrl: null');
});

t.test('no other file can be asked for', async (t) => {
  const { url } = await startTestServer(t, routes);
  for (const file of [
    'package.json',
    '..%2fpackage.json',
    '%2e%2e%2f%2e%2e%2fpackage.json',
    'constructor',
    '__proto__',
  ]) {
    t.equal((await fetch(`${url}/docs/${file}`)).status, 404, file);
  }
});

t.test('every error code has a page in each language, with a remedy', async (t) => {
  const { url } = await startTestServer(t, routes);
  for (const [code, { messages, statuses }] of Object.entries(errorTable)) {
    const response = await fetch(`${url}/docs/errors/${code}`);
    const markup = await response.text();
    t.equal(response.status, 200, code);
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    for (const message of [messages['zh-CN'], messages['zh-TW']]) t.ok(markup.includes(message), message);
    for (const status of statuses) t.match(markup, `${status} `, `${code} ${status}`);
    t.notMatch(markup, 'undefined', `${code}: advice for each status`);
  }
  t.equal((await fetch(`${url}/docs/errors/NO_SUCH_CODE`)).status, 404);
  t.equal((await fetch(`${url}/docs/errors/constructor`)).status, 404);
});

t.test('the index of errors leads to every code, below each of its statuses', async (t) => {
  const { url } = await startTestServer(t, routes);
  const markup = await (await fetch(`${url}/docs/errors?lang=zh-TW`)).text();
  const sections = markup.split('<h2>').slice(1);
  for (const [code, { messages, statuses }] of Object.entries(errorTable)) {
    for (const status of statuses) {
      const section = sections.find((text) => text.startsWith(`${status} `)) ?? '';
      t.ok(section.includes(`href="/docs/errors/${code}?lang=zh-TW"`), `${status} ${code}`);
      t.ok(section.includes(messages['zh-TW']));
    }
  }
  t.notMatch(markup, 'undefined');
});

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
  const links = [...(await read('AUTH_REQUIRED')).matchAll(/href="\/docs#([^"]*)"/g)].map((match) => match[1]);
  t.strictSame(links, ['/Things/createOwnThing', '/Things/createAdminThing']);
  t.match(await read('NODE_NOT_FOUND'), 'href="/docs#/Things/getThing"');
  t.match(await read('INTERNAL_ERROR'), 'Every operation of the API may return it.');
  t.match(await read('MONITOR_PAUSED'), 'No operation of this version returns it.');
});
