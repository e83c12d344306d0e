import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { noBrowser, openTab, startBrowser } from './_support/browser.js';
import { startLookups } from './_support/lookup-world.js';
import { looksRight } from './_support/page-looks.js';
import { joinReportNode, type Respond } from './_support/report-world.js';
import { list } from './_support/reputation-checks.js';
import { writeLists } from './_support/reputation-world.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** Text as a hostile server may choose it, without a blank for long. */
const long = `<b>"Shop"</b> \u202e\u001b[2J ${'x'.repeat(300)} ${'🛒'.repeat(40)}`;
const server = { protocol: 'rdap', server: 'rdap.example', outcome: 'answered', retry_after_s: null };
const results: Readonly<Record<string, object>> = {
  domain: {
    kind: 'domain',
    domain: 'example.com',
    registered: true,
    registrar: long,
    name_servers: [long],
    asked: [server],
  },
  ssl: { domain: 'example.com', grade: 'T', valid: false, subject: long, issuer: long, san_domains: [long, long] },
  records: {
    domain: 'example.com',
    rcode: 'NOERROR',
    records: [1, 2].map((n) => ({ name: 'example.com', type: 'TXT', ttl: 60 * n, value: long })),
  },
  icp: { domain: 'example.com', source: 'icp.example', filing: null },
  http: {
    status_code: 200,
    final_url: `https://example.com/${'y'.repeat(400)}`,
    header_lines: [{ name: 'server', value: long }],
  },
};
const respond: Respond = ({ type }) => results[type] ?? {};

const questions = {
  whois: 'example.com',
  ssl: 'example.com',
  dns: 'example.com',
  icp: 'example.com',
  headers: 'https://example.com/',
  ip: '81.2.69.142',
  reputation: '81.2.69.142',
} as const;
const languages = { en: 'Ask', 'zh-CN': '查询', 'zh-TW': '查詢' } as const;

t.test('the pages of lookups, in a browser', { skip: noBrowser }, async (t) => {
  const geo = temporaryDirectory(t);
  copyFileSync(
    fileURLToPath(new URL('../../test/testdata/geo/city.mmdb', import.meta.url)),
    path.join(geo, 'city.mmdb'),
  );
  const world = await startLookups(t, [systemClock], {
    VANTAGE_GEOIP_DIR: geo,
    VANTAGE_GEOIP_ATTRIBUTION: 'Places by A, CC BY 4.0',
    VANTAGE_REPUTATION_LISTS: writeLists(t, [list(t, 'centers', 'hosting', ['81.2.69.0/24'], { startMs: Date.now() })]),
  });
  await joinReportNode(t, world, respond);
  const [api] = world.apis;
  const check = () => api.call('GET', '/v1/ip/reputation?q=81.2.69.142');
  await until('the list', async () => (await check()).status === 200);
  const browser = await startBrowser(t);
  const addressOf = (kind: string, q: string) => `${api.url}/lookup/${kind}/${encodeURIComponent(q)}`;

  await t.test('the button asks with scripts turned off, and the page shows the answer', async (t) => {
    for (const [kind, q] of Object.entries(questions)) {
      const { page } = await openTab(browser, addressOf(kind, q), { javaScriptEnabled: false });
      if (kind === 'ip') t.match(await page.locator('main').innerText(), 'Places by A');
      else {
        await page.locator('button').click();
        t.match(await page.locator('main').innerText(), 'Asked just now.', kind);
      }
      await page.context().close();
    }
  });

  for (const [locale, word] of Object.entries(languages)) {
    await t.test(`${locale}: known, unknown and refused, wide or narrow, light or dark`, async (t) => {
      const addresses = Object.entries(questions).map(([kind, q]) => [kind, addressOf(kind, q)]);
      await looksRight(t, browser, {
        name: 'lookup',
        locale,
        states: {
          ...Object.fromEntries(addresses),
          unknown: addressOf('dns', 'unknown.example'),
          refused: addressOf('dns', 'localhost'),
        },
        texts: { unknown: { locator: 'button', text: word } },
        origin: api.url,
        expectedStatus: 422,
      });
    });
  }
});
