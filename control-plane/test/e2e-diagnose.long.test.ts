import https from 'node:https';
import { skipFileWithout } from '@vantage/shared/_support/skip-file.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { listen } from './_support/counted-listener.js';
import { RealAgent } from './_support/real-agent.js';
import { createReport, endedReport } from './_support/report-world.js';
import { makeSiteCertificates } from './_support/site-certificates.js';
import { type ApiAnswer, startStack } from './_support/stack.js';
import { startNameServer } from './_support/targets.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

skipFileWithout('openssl');

t.test('a real agent examines every section of a named site', async (t) => {
  const { api } = await startStack(t);
  const agent = await RealAgent.enroll(t, api);
  const names = await startNameServer(t, '127.0.0.1', { addressOf: () => '127.0.0.1' });
  await agent.run({ environment: { VANTAGE_DNS_SERVERS: `127.0.0.1:${names}` } });
  const { good } = makeSiteCertificates(temporaryDirectory(t));
  const { port: secure } = await listen(
    t,
    https.createServer(good, (_request, response) => response.end('ok')),
  );
  let report: ApiAnswer['body'] = null;
  // the agent waits a few seconds for the name server of the test, and does not ask again
  await until('a report with all records', async () => {
    const { id } = await createReport(api, { target: `https://shop.example.com:${secure}/`, shared: true });
    report = await endedReport(api, id);
    return !JSON.stringify(report.sections).includes('"dns_timeout"');
  });
  t.match(report.sections, {
    http: { status: 'completed', facts: { nodes: [{ status_code: 200 }] } },
    ssl: { status: 'completed', facts: { nodes: [{ grade: /^[TM]$/, port: secure }] } },
    dns: { status: 'completed', facts: { nodes: [{ rcode: 'NOERROR' }] } },
    security_headers: { status: 'completed', facts: { domain: 'shop.example.com' } },
  });
  const codes = report.sections.ssl.findings.map(({ code }: { code: string }) => code);
  for (const code of ['name_mismatch', 'untrusted']) t.ok(codes.includes(code), `${code}: ${codes}`);
  t.ok(report.overall_score <= 40, 'a certificate that browsers refuse');
  for (const name of ['ping', 'traceroute']) t.match(report.sections[name].status, /^(?:completed|failed)$/, name);
  t.match(await (await fetch(report.url)).text(), 'shop.example.com');
});
