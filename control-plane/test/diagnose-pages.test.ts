import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { escapeMarkdown, reportMarkdown } from '../src/modules/diagnose/page/report-markdown.js';
import { reportTexts } from '../src/modules/diagnose/page/texts.js';
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
  const section = { title: 'DNS', score: 1, state: '', findings: [], blocks: [block] };
  const document = { title: 't', score: 1, facts: [], notes: [], sections: [section] };
  const markdown = reportMarkdown(document, reportTexts.en);
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
