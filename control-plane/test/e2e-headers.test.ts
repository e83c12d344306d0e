import { createServer } from 'node:net';
import { brotliCompressSync } from 'node:zlib';
import { missing } from '@vantage/shared/_support/missing.js';
import t from 'tap';
import { startSite } from './_support/counted-site.js';
import { addressRecord, hosts, startLookingAgent } from './_support/looking-agent.js';
import type { ApiAnswer } from './_support/stack.js';
import { type FindRecords, recordData } from './_support/zone-server.js';

const zone: FindRecords = (name, type) => {
  if (name.startsWith('alias') && type === 'A') {
    const cdn = 'd111.cloudfront.net';
    return [{ name, type: 'CNAME', data: recordData.name(cdn) }, addressRecord(cdn, 'public')];
  }
  if (name.startsWith('inside') && type === 'A') return [addressRecord(name, 'inside')];
  if (name.startsWith('second') && type === 'A') return [addressRecord(name, 'second')];
  return null;
};
const { look } = await startLookingAgent(t, zone);
const page = '<p>text</p>'.repeat(200);

const dataOf = ({ status, body }: ApiAnswer) => {
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
};
const headersOf = async (url: string) => dataOf(await look('headers', url));
const codesOf = (data: { findings: { code: string }[] }) => data.findings.map(({ code }) => code);

t.test('a redirect to any refused form ends the lookup, and nothing connects', async (t) => {
  const inside = await startSite(t, (_request, response) => response.end('secret'), { host: hosts.inside });
  const open = await startSite(t, (_request, response) => response.end('secret'), { host: hosts.second });
  const blocked = await startSite(t, (_request, response) => response.end('secret'), {
    host: hosts.second,
    port: 6667,
  });
  const hex = `0x${hosts.inside
    .split('.')
    .map((part) => Number(part).toString(16).padStart(2, '0'))
    .join('')}`;
  const forms = [
    `http://${hosts.inside}:${inside.port}/`,
    `http://inside.example:${inside.port}/`,
    `http://${hex}:${inside.port}/`,
    `http://[::ffff:${hosts.inside}]:${inside.port}/`,
    `//${hosts.inside}:${inside.port}/`,
    `http://someone@second.example:${open.port}/`,
    `http://someone:secret@second.example:${open.port}/`,
    'http://second.example:6667/',
    'http://localhost/',
    'http://10.0.0.5/',
    'http://169.254.169.254/latest/meta-data/',
    'http://[::1]/',
    'http://metadata.internal/',
    'file:///etc/passwd',
    'gopher://second.example/',
    'ftp://second.example/',
    'javascript:alert(1)',
    'data:text/html,hello',
  ];
  const site = await startSite(
    t,
    (request, response) => {
      response.writeHead(302, { location: forms[Number(request.url?.slice(1))] ?? '/' }).end();
    },
    { host: hosts.public },
  );
  for (const [number, form] of forms.entries()) {
    const url = `http://r${number}.example:${site.port}/${number}`;
    const data = await headersOf(url);
    t.match(
      data,
      {
        final_url: null,
        grade: null,
        analysis: { insecure: null, reasons: [] },
        hops: [{ url, status_code: 302 }],
        error: { code: 'target_not_allowed' },
      },
      form,
    );
    t.equal(data.hops.length, 1, form);
    t.type(data.hops[0].location, 'string', form);
  }
  t.equal(site.connections, forms.length);
  for (const decoy of [inside, open, blocked]) t.equal(decoy.connections, 0);
  await fetch(`http://${hosts.inside}:${inside.port}/`);
  t.equal(inside.connections, 1, 'who connects is counted');
});

t.test('redirects are shown hop by hop, five of them at most', async (t) => {
  const site = await startSite(
    t,
    ({ url = '' }, response) => {
      const number = Number(url.slice(1));
      if (number === 0) response.end('there');
      else response.writeHead(301, { location: `/${number - 1}` }).end();
    },
    { host: hosts.public },
  );
  const base = `http://way.example:${site.port}`;
  const five = await headersOf(`${base}/5`);
  t.equal(five.final_url, `${base}/0`);
  t.same(
    five.hops.map(({ url, status_code, location }: Record<string, unknown>) => [url, status_code, location]),
    [5, 4, 3, 2, 1, 0].map((n) => [`${base}/${n}`, n === 0 ? 200 : 301, n === 0 ? null : `${base}/${n - 1}`]),
  );
  const six = await headersOf(`${base}/6`);
  t.match(six, { final_url: null, error: { code: 'too_many_redirects' }, hops: { length: 6 } });
  t.equal(six.hops.at(-1).location, `${base}/0`);
  t.equal(six.hops.at(-1).url, `${base}/1`);
});

t.test(
  'headers that hold markup or writing directions arrive as text, and controls of a terminal not at all',
  async (t) => {
    const markup = '"><script>alert(1)</script>';
    const direction = Buffer.from('\u202egnp.exe').toString('latin1');
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', (request) => {
        const escape = request.toString('latin1').startsWith('GET /escape ') ? 'X-Escape: \u001b[31mred\r\n' : '';
        const lines = `Server: ${markup}\r\nX-Direction: ${direction}\r\nSet-Cookie: ${markup}=secret-value; Secure\r\n${escape}`;
        socket.end(Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 0\r\n${lines}\r\n`, 'latin1'));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, hosts.public, resolve));
    t.teardown(() => server.close());
    const { port } = server.address() as { port: number };
    const answer = await look('headers', `http://odd.example:${port}/`);
    const data = dataOf(answer);
    t.match(answer.headers.get('content-type'), /^application\/json/);
    t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
    t.equal(data.security.server, markup);
    t.equal(data.headers['x-direction'], direction);
    t.notMatch(JSON.stringify(data), /\u202e/);
    t.match(data.cookies, [{ name: markup, secure: true }]);
    t.notMatch(JSON.stringify(answer.body), /secret-value/);
    const coloured = await look('headers', `http://odd.example:${port}/escape`);
    t.match(dataOf(coloured), { headers: { 'x-escape': '[31mred' }, error: null });
    t.notMatch(JSON.stringify(coloured.body), /\\u001b/);
  },
);

t.test('each reason is found at a server that gives it', async (t) => {
  const flawless = {
    'content-type': 'text/html',
    'content-encoding': 'br',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'content-security-policy': "default-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=()',
    'cross-origin-opener-policy': 'same-origin',
    'cf-ray': '1-FRA',
  };
  const plain = await startSite(t, (_request, response) => response.end('hello'), { host: hosts.public });
  const offered = new Set<string | undefined>();
  const site = await startSite(
    t,
    ({ headers, url }, response) => {
      offered.add(headers['accept-encoding']);
      const without = url?.slice(1) ?? '';
      if (without === 'down') return response.writeHead(302, { location: `http://down.example:${plain.port}/` }).end();
      const kept = Object.entries(flawless).filter(([name]) => name !== without);
      response.writeHead(200, Object.fromEntries(kept));
      return response.end(without === 'content-encoding' ? page : brotliCompressSync(page));
    },
    { host: hosts.public, isTls: true },
  );
  const at = (name: string, without = '') => `https://${name}.example:${site.port}/${without}`;
  t.match(await headersOf(at('good')), {
    domain: 'good.example',
    grade: 'A+',
    findings: [],
    analysis: { insecure: false, reasons: [] },
    security: { cdn: 'Cloudflare', content_encoding: 'br', hsts: /^max-age/ },
    error: null,
  });
  const cases = [
    ['strict-transport-security', 'no_hsts', true, 'C'],
    ['content-encoding', 'no_compression', false, 'A+'],
    ['cf-ray', 'no_cdn', false, 'A+'],
  ] as const;
  for (const [header, reason, insecure, grade] of cases) {
    const data = await headersOf(at('lacks', header));
    t.match(data, { grade, analysis: { insecure, reasons: [reason] } }, reason);
    t.ok(codesOf(data).includes(reason), reason);
  }
  t.match(await headersOf(at('alias', 'cf-ray')), {
    security: { cdn: 'Amazon CloudFront' },
    analysis: { reasons: [] },
  });
  t.same([...offered], ['br, gzip, zstd']);
  t.match(await headersOf(`http://plain.example:${plain.port}/`), {
    grade: 'F',
    analysis: { insecure: true, reasons: ['no_https_redirect', 'no_hsts', 'no_cdn'] },
  });
  const up = await startSite(t, (_request, response) => response.writeHead(301, { location: at('good') }).end(), {
    host: hosts.public,
  });
  const data = await headersOf(`up.example:${up.port}`);
  t.match(data, { url: `http://up.example:${up.port}/`, final_url: at('good'), grade: 'A+', hops: { length: 2 } });
  t.ok(codesOf(await headersOf(at('down', 'down'))).includes('https_downgrade'));
});

t.test(
  'a site that serves plain http on port 80 lacks the redirect, one that redirects or is closed does not',
  {
    skip: missing('root'),
  },
  async (t) => {
    const secure = await startSite(t, (_request, response) => response.end('hello'), {
      host: hosts.second,
      isTls: true,
    });
    const reasonsOf = async (name: string) =>
      (await headersOf(`https://${name}.example:${secure.port}/`)).analysis.reasons as string[];
    t.notOk((await reasonsOf('second-closed')).includes('no_https_redirect'));
    const seen: (string | undefined)[] = [];
    await startSite(
      t,
      ({ headers: { host = '' }, url }, response) => {
        seen.push(`${host}${url}`);
        if (host.startsWith('second-up')) response.writeHead(308, { location: `https://${host}/` });
        else if (host.startsWith('second-www')) response.writeHead(301, { location: `http://www.${host}/` });
        response.end();
      },
      { host: hosts.second, port: 80 },
    );
    t.notOk((await reasonsOf('second-up')).includes('no_https_redirect'));
    t.ok((await reasonsOf('second-plain')).includes('no_https_redirect'));
    t.ok((await reasonsOf('second-www')).includes('no_https_redirect'), 'what comes after it is not followed');
    t.same(seen, ['second-up.example/', 'second-plain.example/', 'second-www.example/']);
  },
);

t.test('a refusal, an error of the server and a challenge are not graded', async (t) => {
  const site = await startSite(
    t,
    ({ url = '' }, response) => {
      const status = Number(url.slice(1)) || 200;
      response.writeHead(status, status === 200 ? { 'cf-mitigated': 'challenge' } : {}).end('no');
    },
    { host: hosts.public },
  );
  for (const path of ['401', '403', '429', '500', '502', '503', 'challenge']) {
    const data = await headersOf(`http://no.example:${site.port}/${path}`);
    t.match(data, { grade: null, error: null }, path);
    t.same(codesOf(data), ['not_the_site'], path);
  }
  t.match(await headersOf(`http://no.example:${site.port}/404`), { grade: 'F' }, 'a page of the site');
});
