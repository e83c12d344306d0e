import { mkdirSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import t from 'tap';
import { accessibilityFindings, cutTexts, noBrowser, openTab, overflowOf, startBrowser } from './_support/browser.js';
import { contactSheet, type Shot } from './_support/contact-sheet.js';
import { type PageCase, type PageWorld, pageCases, startPageWorld } from './_support/page-world.js';
import { untranslatedTexts } from './_support/untranslated.js';

const widths = [360, 768, 1_440] as const;
const schemes = ['light', 'dark'] as const;
const locales = ['en', 'zh-CN', 'zh-TW'] as const;
/** Values that people and servers chose. */
const chosen = [
  ...Object.values(pageCases).map(({ target }) => target),
  'Frankfurt am Main',
  'São Paulo',
  'Tokyo',
  'Sydney',
  'abuse@operator.example',
  'tls_name_mismatch',
];

/** Pages that need nothing first, by the name of their state; the browser reports the status of an error itself. */
const paths = {
  start: '/',
  nodes: '/nodes',
  reference: '/docs',
  operations: '/docs/probes',
  guide: '/docs/guide',
  errors: '/docs/errors',
  'an error': '/docs/errors/RATE_LIMIT_EXCEEDED',
  abuse: '/abuse',
  nothing: '/no/such/page',
  'no probe': '/p/pt_1111111111111111111111',
  lookup: '/lookup/dns/example.com',
  verify: '/verify-email#svc_ch_x',
  reset: '/reset-password',
  confirm: '/confirm-sign-in#svc_ch_x',
} as const;

t.test('every page is readable in each language, theme and width', { skip: noBrowser }, async (t) => {
  const directory = process.env['VANTAGE_TEST_PICTURES'];
  if (directory !== undefined) mkdirSync(directory, { recursive: true });
  const world = await startPageWorld(t);
  const states: Record<string, string> = { ...paths };
  for (const [name, { type, target, results, params }] of Object.entries<PageCase>(pageCases))
    states[`probe ${name}`] = await world.pageOf(type, target, results, params);
  const browser = await startBrowser(t);

  for (const locale of locales) {
    await t.test(locale, async (t) => {
      const { page, complaints, requests } = await openTab(browser, 'about:blank', { locale });
      const shots: Shot[] = [];
      for (const [state, path] of Object.entries(states)) {
        await page.setViewportSize({ width: 1_440, height: 900 });
        await page.goto(world.api.url + path);
        t.equal(await page.locator('html').getAttribute('lang'), locale, state);
        if (locale !== 'en') t.strictSame(await untranslatedTexts(page, chosen), [], `${state} is translated`);
        // one load shows all widths and themes: both are questions of the style sheet
        for (const colorScheme of schemes) {
          await page.emulateMedia({ colorScheme });
          for (const width of widths) {
            const view = `${state} ${locale} ${width} ${colorScheme}`;
            await page.setViewportSize({ width, height: 900 });
            t.ok((await overflowOf(page)) <= 0, `${view} does not scroll sideways`);
            t.strictSame(await cutTexts(page), [], `${view} cuts no text`);
            if (directory === undefined) continue;
            const file = `${directory}/${view.replaceAll(/[^\w-]+/g, '-')}.png`;
            await page.screenshot({ path: file, fullPage: true });
            if ((width === 1_440) === (colorScheme === 'light')) shots.push({ title: view, path: file });
          }
          // names depend on the language, contrasts on the theme: no pair of them needs a look of its own
          if (locale === 'en' || colorScheme === 'light')
            t.strictSame(await accessibilityFindings(page), [], `${state} ${locale} ${colorScheme}`);
        }
        await page.emulateMedia({ colorScheme: 'light' });
      }
      t.strictSame(
        complaints.filter((complaint) => !complaint.includes('404')),
        [],
      );
      t.ok(requests.every((address) => address.startsWith(world.api.url) || address.startsWith('data:')));
      await page.context().close();
      if (directory !== undefined) {
        for (let i = 0; i < shots.length; i += 9)
          await contactSheet(browser, shots.slice(i, i + 9), `${directory}/sheet-${locale}-${i / 9 + 1}.png`);
      }
    });
  }
  if (directory !== undefined) await takeDocumented(world, browser, directory);
});

/** Takes the pictures of README.md: the first page, and that of a probe with a timeout. */
async function takeDocumented(world: PageWorld, browser: Browser, directory: string): Promise<void> {
  const timeouts = pageCases['failed']?.results.filter((result) => 'error' in result) ?? [];
  const results = [...(pageCases['http']?.results.slice(0, 2) ?? []), ...timeouts.slice(0, 1)];
  const probe = await world.pageOf('http', 'https://example.com/', results, { timeout_ms: 1000 });
  const { page } = await openTab(browser, 'about:blank', { locale: 'en' });
  await page.setViewportSize({ width: 1_100, height: 900 });
  for (const [name, path] of Object.entries({ 'start-page': '/', 'probe-page': probe })) {
    await page.goto(world.api.url + path);
    await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
  }
  await page.context().close();
}
