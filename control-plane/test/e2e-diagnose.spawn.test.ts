import { createServer } from 'node:http';
import https from 'node:https';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import t from 'tap';
import { listen } from './_support/counted-listener.js';
import { RealAgent } from './_support/real-agent.js';
import { createReport, endedReport } from './_support/report-world.js';
import { makeSiteCertificates } from './_support/site-certificates.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

skipFileWithout('openssl');

t.test(
  'real agents examine a real site, over http and over TLS, and a killed one leaves a partial report',
  async (t) => {
    const { api } = await startStack(t);
    const agents = [await RealAgent.start(t, api), await RealAgent.start(t, api, { name: 'second' })];
    const html = '<!doctype html><title>Shop</title>';
    const headers = { 'content-type': 'text/html', server: 'test' };
    const { port: web } = await listen(
      t,
      createServer((_request, response) => response.writeHead(200, headers).end(html)),
    );
    const { good } = makeSiteCertificates(temporaryDirectory(t));
    const { port: secure } = await listen(
      t,
      https.createServer(good, (_request, response) => response.writeHead(200, headers).end(html)),
    );

    const overHttp = await createReport(api, {
      target: `http://127.0.0.1:${web}/`,
      scope: ['http', 'security_headers', 'ping'],
    });
    const plain = await endedReport(api, overHttp.id);
    t.match(plain.sections.http, { status: 'completed', score: Number, facts: { nodes: { length: 2 } } });
    // how fast this machine responds is not part of the test
    const found = plain.sections.http.findings.map(({ code }: { code: string }) => code);
    t.strictSame(
      found.filter((code: string) => !['http_ok', 'http_slow', 'http_first_byte_slow'].includes(code)),
      [],
    );
    t.match(plain.sections.security_headers, {
      status: 'completed',
      facts: { final_url: `http://127.0.0.1:${web}/`, security: { server: 'test' } },
    });
    t.ok(plain.sections.security_headers.findings.some(({ code }: { code: string }) => code === 'plain_http'));

    const overTls = await createReport(api, {
      target: `https://127.0.0.1:${secure}/`,
      scope: ['http', 'security_headers'],
    });
    const tls = await endedReport(api, overTls.id);
    t.ok(tls.sections.http.findings.some(({ code }: { code: string }) => code === 'http_certificate_invalid'));
    t.ok(tls.sections.security_headers.findings.some(({ code }: { code: string }) => code === 'no_hsts'));

    const { port: held } = await listen(
      t,
      createServer((request) => request.resume()),
    );
    const partial = await createReport(api, { target: `http://127.0.0.1:${held}/`, scope: ['http'] });
    await agents[1]?.kill();
    const report = await endedReport(api, partial.id);
    const codes = report.sections.http.facts.nodes.map(({ error }: { error: { code: string } }) => error.code).sort();
    t.strictSame(codes, ['http_timeout', 'node_lost']);
    t.match(report, {
      status: 'completed',
      overall_score: 0,
      sections: { http: { findings: [{ code: 'http_no_answer' }] } },
    });
  },
);
