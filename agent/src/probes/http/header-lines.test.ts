import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import t from 'tap';
import { startDnsServer } from '../../../test/_support/dns-server.js';
import { startHttpServer } from '../../../test/_support/http-server.js';
import { aContext, aResolver, aSpec } from '../../../test/_support/probe-context.js';
import { http } from './index.js';

const isResult = compileSchema(probeTypes.http.Result);
const examining = (url: string) => ({ ...aSpec('http', url), keeps_header_lines: true as const });

t.test('http keeps each header line of the last response, and no value of a cookie', async (t) => {
  const server = await startHttpServer(t, ({ path }, response) => {
    if (path === '/') return response.writeHead(302, { Location: '/there', 'Set-Cookie': 'early=secret-1' }).end();
    response.setHeader('Strict-Transport-Security', ['max-age=1', 'max-age=2']);
    response.setHeader('Set-Cookie', ['id=secret-2=x; Expires=Thu, 01 Jan 2032 00:00:00 GMT; Secure', 'secret-3']);
    return response.end('ok');
  });
  const result = await http.run(examining(`http://127.0.0.1:${server.port}/`), aContext());
  t.strictSame(
    result.header_lines?.filter(({ name }) => name !== 'date' && !name.startsWith('co') && !name.startsWith('tr')),
    [
      { name: 'strict-transport-security', value: 'max-age=1' },
      { name: 'strict-transport-security', value: 'max-age=2' },
      { name: 'set-cookie', value: 'id=; Expires=Thu, 01 Jan 2032 00:00:00 GMT; Secure' },
      { name: 'set-cookie', value: '' },
    ],
  );
  t.match(result, { success: true, headers: {}, redirects: { length: 1 }, aliases: [] });
  t.notMatch(JSON.stringify(result), /secret/);
  t.ok(isResult(result).ok, 'it is of the schema');
});

t.test('http keeps the names that the last host is an alias of', async (t) => {
  const dns = await startDnsServer(t, ({ name, type }) => {
    if (type !== 'A') return { answers: [] };
    return {
      answers: [
        { type: 'CNAME', name, data: 'd111.cdn.example.com' },
        { type: 'CNAME', name: 'd111.cdn.example.com', data: 'edge.cdn.example.com' },
        { type: 'A', name: 'edge.cdn.example.com', data: '127.0.0.1' },
      ],
    };
  });
  const server = await startHttpServer(t, (_request, response) => response.end('ok'));
  const context = aContext({ resolver: aResolver([dns.endpoint]) });
  const result = await http.run(examining(`http://site.example.com:${server.port}/`), context);
  t.match(result, { success: true, error: null });
  t.strictSame(result.aliases, ['d111.cdn.example.com', 'edge.cdn.example.com']);
});

t.test('http reads at most 64 KiB of a body whose headers are examined', async (t) => {
  const server = await startHttpServer(t, (_request, response) => {
    response.setHeader('Content-Type', 'text/plain');
    response.end('x'.repeat(200 * 1024));
  });
  const result = await http.run(examining(`http://127.0.0.1:${server.port}/`), aContext());
  t.match(result, { success: true, response_size: 64 * 1024, body_truncated: true });
  t.equal(result.body?.length, 32 * 1024);
});

t.test('every host on the way of an examination is offered br, gzip and zstd', async (t) => {
  const other = await startHttpServer(t, (_request, response) => response.end('ok'));
  const server = await startHttpServer(t, (_request, response) => {
    response.writeHead(302, { Location: `http://127.0.0.1:${other.port}/` }).end();
  });
  await http.run(examining(`http://127.0.0.1:${server.port}/`), aContext());
  await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`), aContext());
  for (const { requests } of [server, other]) {
    t.same(
      requests.map(({ headers }) => headers['accept-encoding']),
      ['br, gzip, zstd', 'gzip, deflate, br'],
    );
  }
});

t.test('an examination reports the URL that did not respond', async (t) => {
  const server = await startHttpServer(t, (_request, response) => {
    response.writeHead(302, { Location: 'http://10.0.0.5/there' }).end();
  });
  const url = `http://127.0.0.1:${server.port}/`;
  const refused = await http.run(examining(url), aContext());
  t.match(refused, { final_url: null, last_url: 'http://10.0.0.5/there', redirects: [{ url, status_code: 302 }] });
  t.equal(
    (await http.run({ ...examining(url), target: 'http://127.0.0.1:1/' }, aContext())).last_url,
    'http://127.0.0.1:1/',
  );
});

t.test('a result has header lines only for the analysis of headers', async (t) => {
  const server = await startHttpServer(t, (_request, response) => response.end('ok'));
  const result = await http.run(aSpec('http', `http://127.0.0.1:${server.port}/`), aContext());
  t.notOk('header_lines' in result);
  t.notOk('aliases' in result);
  t.notOk('last_url' in result);
  t.ok('date' in result.headers);
});
