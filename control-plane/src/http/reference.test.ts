import t from 'tap';
import { thingRoutes } from '../../test/_support/http-routes.js';
import { startTestServer } from '../../test/_support/http-server.js';
import { errorTable } from './error-table.js';
import { referenceRoutes } from './reference.js';

const routes = [
  ...thingRoutes(),
  ...referenceRoutes(thingRoutes(), { publicUrl: 'http://localhost', version: '1.2.3' }),
];

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

t.test('/docs and all it loads come from this server, under a policy that allows no other', async (t) => {
  const { url } = await startTestServer(t, routes);
  const page = await fetch(`${url}/docs`);
  const policy = page.headers.get('content-security-policy') ?? '';
  t.match(policy, "connect-src 'self'");
  t.match(policy, "script-src 'self';");
  t.notMatch(policy, 'http');
  const markup = await page.text();
  const assets = [...markup.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1] as string);
  t.ok(assets.length >= 4);
  for (const asset of assets) {
    const response = await fetch(url + asset);
    t.equal(response.status, 200, asset);
    t.match(
      response.headers.get('content-type'),
      asset.endsWith('.js') ? 'text/javascript' : /^(?:text\/css|image\/png)/,
    );
    t.ok((await response.arrayBuffer()).byteLength > 100, asset);
    t.ok(response.headers.get('etag'));
  }
  t.match(await (await fetch(`${url}/docs/start.js`)).text(), 'validatorUrl: null');
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

t.test('every error code has a page in the three languages', async (t) => {
  const { url } = await startTestServer(t, routes);
  for (const [code, { messages }] of Object.entries(errorTable)) {
    const response = await fetch(`${url}/docs/errors/${code}`);
    const markup = await response.text();
    t.equal(response.status, 200, code);
    t.equal(response.headers.get('content-type'), 'text/html; charset=utf-8');
    for (const message of [messages['zh-CN'], messages['zh-TW']]) t.ok(markup.includes(message), message);
  }
  t.equal((await fetch(`${url}/docs/errors/NO_SUCH_CODE`)).status, 404);
  t.equal((await fetch(`${url}/docs/errors/constructor`)).status, 404);
});
