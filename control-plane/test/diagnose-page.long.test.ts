import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { startLookups } from './_support/lookup-world.js';
import { looksRight } from './_support/page-looks.js';
import { createReport, endedReport, failure, flawless, joinReportNode, type Respond } from './_support/report-world.js';

const long = `<b>"Shop"</b> \u202e ${'x'.repeat(300)} ${'🛒'.repeat(40)}`;
/** A site with faults in every section, and long texts without a blank. */
const faulty: Respond = (job) => {
  const fields = flawless(job);
  if (job.isAboutHeaders) return { ...fields, header_lines: [{ name: 'server', value: long }] };
  if (job.type === 'http')
    return { ...fields, status_code: 503, response_ms: 4_000, final_url: `https://example.com/${'y'.repeat(400)}` };
  if (job.type === 'ssl') return { ...fields, grade: 'T', warnings: ['expired'], issuer: long };
  if (job.type === 'zone_audit')
    return { domain: 'example.com', findings: [{ code: 'several_spf', facts: { records: [long] } }] };
  if (job.type === 'ping') return failure('dns_error', long);
  if (job.type === 'traceroute') return failure('internal');
  return fields;
};

const languages = { en: 'Overall score', 'zh-CN': '总分', 'zh-TW': '總分' } as const;

t.test('the page of a report, in a browser', { skip: noBrowser }, async (t) => {
  const world = await startLookups(t, [systemClock]);
  for (const _ of [1, 2, 3]) await joinReportNode(t, world, faulty);
  const [api] = world.apis;
  const { id, url } = await createReport(api, { target: 'example.com', shared: true });
  await endedReport(api, id);
  const browser = await startBrowser(t);
  const directory = process.env['VANTAGE_TEST_PICTURES'];

  for (const [locale, word] of Object.entries(languages)) {
    await t.test(`${locale}: readable wide or narrow, light or dark, with and without a report`, async (t) => {
      await looksRight(t, browser, {
        name: 'report',
        locale,
        states: { report: url, missing: `${url}x` },
        texts: { report: { locator: 'main', text: word } },
        origin: api.url,
        expectedStatus: 404,
      });
    });
  }

  await t.test('printed, the page is light and has no navigation', async (t) => {
    const { page } = await openTab(browser, url, { colorScheme: 'dark' });
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    t.equal(await page.locator('.unprinted').isVisible(), false);
    t.equal(await page.locator('.site nav').first().isVisible(), false);
    t.equal(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
    if (directory !== undefined) await page.screenshot({ path: `${directory}/report-print.png`, fullPage: true });
    await page.context().close();
  });
});
