import t from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { startLookups } from './_support/lookup-world.js';
import { failure, flawless, joinReportNode, type Respond } from './_support/report-world.js';
import { movingRounds } from './_support/stack.js';

const world = await startLookups(t, [movingRounds('reports')]);
const [api] = world.apis;
/** Responses of the two nodes of this file; a test sets them. */
let says: readonly [Respond, Respond] = [flawless, flawless];
for (const index of [0, 1] as const) await joinReportNode(t, world, (job) => says[index](job));
const env = { VANTAGE_URL: api.url, VANTAGE_TOKEN: api.token };
const vantage = (...words: string[]) => runInProcess('vantage', ['diagnose', ...words], { env });

t.test(
  'sections are printed with scores and findings, then the overall score, and the link if it is shared',
  async (t) => {
    const slow: Respond = (job) =>
      job.type === 'http' && !job.isAboutHeaders ? failure('tcp_timeout') : flawless(job);
    says = [flawless, slow];
    const { code, stdout, stderr } = await vantage('example.com', '--scope', 'http,ping', '--share');
    t.strictSame([code, stderr], [0, '']);
    t.match(
      stdout,
      /^http {2}50\n {2}critical {2}-50 {2}The server cannot be reached[^()]*\(http_unreachable\) from peer\n/m,
    );
    t.match(stdout, /^ {2}good +The site responds\. \(http_ok\) from peer\n/m);
    t.match(stdout, /^ping {2}100\n {2}good {2,}\S.*\(ping_ok\)\n/m);
    const [overall, link = ''] = stdout.trimEnd().split('\n').slice(-2);
    t.equal(overall, 'overall  63');
    t.ok(link.startsWith(`${api.url}/d/dg_`));
    t.equal((await fetch(link)).status, 200);
  },
);

t.test('--json prints the report alone, --min-score and a failed report end with 1, a refusal with 2', async (t) => {
  says = [flawless, flawless];
  const json = await vantage('example.com', '--scope', 'ping', '--json');
  const report = JSON.parse(json.stdout);
  t.match(report, { status: 'completed', overall_score: 100, shared: false });
  t.strictSame(report, (await api.call('GET', `/v1/diagnose/${report.id}`)).body.data);
  t.equal((await vantage('example.com', '--scope', 'ping', '--min-score', '100')).code, 0);
  t.equal((await vantage('example.com', '--scope', 'security_headers', '--min-score', '100')).code, 1);
  t.match(await vantage('10.0.0.1'), { code: 2, stderr: /PROBE_TARGET_INVALID/ });
  t.match(await vantage('example.com', '--limit', '50'), { code: 2, stderr: /room for 11 nodes/ });
  for (const words of [
    ['--scope', 'smtp'],
    ['--min-score', '101'],
    ['--limit', '0'],
  ])
    t.match(await vantage('example.com', ...words), { code: 2, stdout: '' }, words.join(' '));
  t.match(await vantage('--help'), { code: 0, stdout: /vantage diagnose example\.com --scope/ });
});

t.test('texts that a target chooses are text in the terminal and in JSON', async (t) => {
  const evil = '<b>\u001b[2J\u0007\u009b31m\u202e\u2066';
  const hostile: Respond = (job) => {
    const fields = flawless(job) as Record<string, unknown>;
    if (job.isAboutHeaders) return { ...fields, header_lines: [{ name: 'server', value: evil }] };
    if (job.type === 'http') return { ...fields, status_code: 503, final_url: `https://example.com/${evil}` };
    if (job.type === 'ssl')
      return { ...fields, subject: evil, issuer: evil, san_domains: [evil], warnings: ['expired'] };
    if (job.type === 'dns')
      return { ...fields, records: [{ name: evil, type: 'TXT', class: 'IN', ttl: 1, value: evil }] };
    if (job.type === 'zone_audit')
      return { domain: 'example.com', findings: [{ code: 'several_spf', facts: { records: [evil] } }] };
    if (job.type === 'ping') return failure('dns_error', evil);
    return fields;
  };
  says = [hostile, hostile];
  const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
  const printed = await vantage('hostile.example');
  t.match(printed.stdout, /several_spf/);
  t.notMatch(printed.stdout, steering);
  const json = await vantage('hostile.example', '--json');
  t.match(json.stdout, '<b>', 'the texts are there');
  t.notMatch(json.stdout, steering);
  t.equal(JSON.parse(json.stdout).sections.security_headers.facts.security.server, evil);
});

t.test('a report that has failed ends with 1', async (t) => {
  const overloaded = () => failure('overload');
  says = [overloaded, overloaded];
  const { code, stdout } = await vantage('example.com', '--scope', 'ping');
  t.equal(code, 1);
  t.equal(stdout, 'ping  failed: Only nodes failed: the results say nothing about the target.\noverall  failed\n');
});
