import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { escapeMarkdown, reportMarkdown } from '../src/modules/diagnose/page/report-markdown.js';
import { startLookups } from './_support/lookup-world.js';
import { withoutFences } from './_support/markdown-fences.js';
import { createReport, endedReport, flawless, joinReportNode, type Respond } from './_support/report-world.js';

/** Text as a hostile server may choose it: markup, Markdown, a fence, terminal sequences, and controls that turn text around. */
const evil =
  '<script>alert(1)</script><img src=x onerror=alert(1)> [x](javascript:alert(1)) ``` ~~~ | # *b* https://evil.example \u001b[31m\u202e\u2066\u0007';
const steering = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Results in which every text that the target chooses is hostile. */
const hostile: Respond = (job) => {
  const fields = flawless(job) as Record<string, unknown>;
  if (job.isAboutHeaders)
    return {
      ...fields,
      header_lines: [
        { name: 'server', value: evil },
        { name: 'set-cookie', value: `${evil}; Path=/` },
      ],
    };
  if (job.type === 'http') return { ...fields, headers: { server: evil, title: evil }, body: `<title>${evil}</title>` };
  if (job.type === 'ssl') return { ...fields, subject: evil, issuer: evil, san_domains: [evil], chain: [] };
  if (job.type === 'dns')
    return { ...fields, records: [{ name: evil, type: 'TXT', class: 'IN', ttl: 1, value: evil }] };
  if (job.type === 'zone_audit')
    return { domain: 'example.com', findings: [{ code: 'several_spf', facts: { records: [evil, evil] } }] };
  if (job.type === 'ping') return { success: false, error: { code: 'dns_error', message: evil } };
  return fields;
};

t.test('whatever a target says is text in the page and its twins, in every language', async (t) => {
  const world = await startLookups(t, [systemClock]);
  await joinReportNode(t, world, hostile);
  const [api] = world.apis;
  const { id, url } = await createReport(api, { target: 'example.com', shared: true });
  const report = await endedReport(api, id);
  t.match(report.status, 'completed');
  for (const locale of ['en', 'zh-CN', 'zh-TW']) {
    const page = await fetch(`${url}?lang=${locale}`);
    const body = await page.text();
    t.match(body, 'alert(1)', 'the texts are there');
    t.notMatch(body, /<script|<img|onerror="|href="javascript/i, locale);
    t.notMatch(body, steering, `${locale}: nothing steers`);
    t.match(page.headers.get('content-security-policy'), /default-src 'none'/);
    t.notMatch(page.headers.get('content-security-policy'), /script-src/);
    const twin = await fetch(`${url}.md?lang=${locale}`);
    t.equal(twin.headers.get('content-type'), 'text/markdown; charset=utf-8');
    const markdown = await twin.text();
    t.match(markdown, 'alert');
    t.notMatch(markdown, steering, locale);
    const outside = withoutFences(markdown);
    t.notMatch(outside, /<|(?<!\\)\[|(?<!\\)`|https:\/\/evil/, `${locale}: no markup outside of fences`);
  }
  const json = await fetch(`${url}.json`);
  t.equal(json.headers.get('content-type'), 'application/json; charset=utf-8');
  const { sections } = (await json.json()) as typeof report;
  t.equal(sections.security_headers.facts.security.server, evil.trim());
});

t.test(
  'a report names the three findings that matter most first, with remedies, in the language of its reader',
  async (t) => {
    const world = await startLookups(t, [systemClock]);
    const timing = { dns_ms: 1, tcp_ms: 2, tls_ms: 3, ttfb_ms: 4, download_ms: 5 };
    const faulty: Respond = (job) => {
      if (job.type === 'ssl') return { ...flawless(job), grade: 'T', warnings: ['expired', 'no_tls13'] };
      return job.type === 'http' && !job.isAboutHeaders
        ? { ...flawless(job), response_ms: 4_000, timing }
        : flawless(job);
    };
    for (const _ of [1, 2]) await joinReportNode(t, world, faulty);
    const [api] = world.apis;
    const { id, url } = await createReport(api, {
      target: 'example.com',
      scope: ['http', 'ssl', 'ping'],
      shared: true,
    });
    await endedReport(api, id);
    const page = await (await fetch(`${url}?lang=zh-CN`)).text();
    const first = /<h2>请先处理这三个问题<\/h2>\s*<ol>(.*)<\/ol>/.exec(page)?.[1] ?? '';
    t.match(
      first,
      /^<li><a href="#expired">证书链中有证书已过期。<\/a>.*续期证书.*href="#http_slow".*href="#no_tls13".*启用 TLS 1\.3/,
    );
    t.match(
      page,
      /<li id="expired">.*证书链中有证书已过期。<br>续期证书/,
      'the link leads down, where the remedy is too',
    );
    t.match(page, /<svg class="bar"/, 'times are bars');
    const markdown = await (await fetch(`${url}.md?lang=en`)).text();
    t.match(
      markdown,
      '## Mend these three first\n\n1. TLS and certificate\\: A certificate of the chain has expired\\. Renew the certificate',
    );
  },
);

t.test('every character with a meaning in Markdown is escaped', async (t) => {
  t.equal(escapeMarkdown('a|b'), 'a\\|b');
  t.equal(escapeMarkdown('<b>&amp;'), '&lt;b&gt;&amp;amp;');
  t.equal(
    escapeMarkdown('# 1. *x* _y_ `z` [l](u) ~s~ !i'),
    '\\# 1\\. \\*x\\* \\_y\\_ \\`z\\` \\[l\\]\\(u\\) \\~s\\~ \\!i',
  );
  t.equal(escapeMarkdown('www.evil.example a@b https://x'), 'www\\.evil\\.example a\\@b https\\://x');
  t.equal(escapeMarkdown('a\nb\u202ec'), 'a·b·c');
});

t.test('a line that is a fence itself does not end the block it is in', async (t) => {
  const block = { kind: 'lines', title: 'x', lines: ['```', '<b>', '`````', '[x](y)'] } as const;
  const empty = { name: 'dns', title: 'DNS', score: 1, state: '', findings: [], missing: null, results: null } as const;
  const section = { ...empty, nodeBlocks: [], blocks: [block] };
  const document = { title: 't', score: 1, facts: [], notes: [], urgent: [], sections: [section] };
  const markdown = reportMarkdown(document, 'en');
  t.notMatch(withoutFences(markdown), /<b>|\[x\]/);
  t.match(markdown, '<b>');
});

t.test('a page that is not shared, or was never made, is 404 in every form', async (t) => {
  const world = await startLookups(t, [systemClock]);
  await joinReportNode(t, world, flawless);
  const [api] = world.apis;
  const { id } = await createReport(api, { target: 'example.com', scope: ['ping'] });
  for (const path of [id, `${id}.json`, `${id}.md`, 'dg_1CGRtJ1RH3rs4vbBJ5pyjA', 'x', '.json', `${id}.html`]) {
    const page = await fetch(new URL(`/d/${path}`, api.url));
    t.equal(page.status, 404, path);
    t.match(await page.text(), 'No such report', path);
  }
});
