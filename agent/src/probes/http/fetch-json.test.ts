import { gzipSync } from 'node:zlib';
import t, { type Test } from 'tap';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { aContext } from '../../../test/_support/probe-context.js';
import { KnownNames } from '../../net/known-names.js';
import { fetchJson } from './fetch-json.js';
import { TlsSettings } from './tls-settings.js';

type Serve = Parameters<typeof startHttpServer>[1];

async function fetch(t: Test, serve: Serve) {
  const { port } = await startHttpServer(t, serve);
  const { signal, clock, userAgent, policy, resolver } = aContext();
  const names = new KnownNames(resolver, { ipVersion: 'auto', policy, signal });
  const secureContext = new TlsSettings().contextFor(undefined);
  const url = `http://127.0.0.1:${port}/`;
  return fetchJson({ url, headers: {}, names, secureContext }, { signal, clock, userAgent });
}

t.test('a refusal counts whatever page comes with it, a document only as a whole', async (t) => {
  const page = 'x'.repeat(2 * 1024 * 1024);
  const bodies = { plain: [page, {}], gzip: [gzipSync(page), { 'content-encoding': 'gzip' }] } as const;
  for (const [what, [body, headers]] of Object.entries(bodies)) {
    const refusal = await fetch(t, (_request, response) =>
      response.writeHead(429, { ...headers, 'retry-after': '60' }).end(body),
    );
    t.match(refusal, { statusCode: 429, retryAfter: '60', value: undefined }, what);
    const large = fetch(t, (_request, response) => response.writeHead(200, headers).end(body));
    await t.rejects(large, { code: 'body_too_large' }, what);
  }
  const broken: Serve = (_request, response) => response.writeHead(404, { 'content-encoding': 'gzip' }).end('no gzip');
  t.match(await fetch(t, broken), { statusCode: 404, value: undefined });
  const found = await fetch(t, (_request, response) => response.end('{"a":1}'));
  t.match(found, { statusCode: 200, value: { a: 1 } });
});

t.test('cookies that a redirect sets lead to the document', async (t) => {
  const found = await fetch(t, ({ headers }, response) => {
    if (headers.cookie === 'seen=1') return response.end('[1]');
    return response.writeHead(302, { 'set-cookie': 'seen=1', location: '/' }).end();
  });
  t.match(found, { statusCode: 200, value: [1] });
});
