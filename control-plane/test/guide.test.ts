import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { missing } from '@vantage/shared/_support/missing.js';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { type GuideStep, guideSteps } from '../src/modules/pages/guide/commands.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { openShell } from './_support/shell.js';
import { startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

/** Commands of a page, as a reader copies them. */
function commandsOf(markup: string): string[] {
  return [...markup.matchAll(/<pre[^>]*>(.*?)<\/pre>/gs)].map(([, text = '']) =>
    text
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&amp;', '&'),
  );
}

/** Output of each step. */
const expected: Readonly<Record<GuideStep, RegExp>> = {
  setUp: /^$/,
  register: /"access_token":"eyJ.*"email":"ada@example\.com","email_verified":false/,
  verify: /"data":\{"message":"/,
  logIn: /"email":"ada@example\.com","email_verified":true/,
  refresh: /^$/,
  makeKey: /^sk_live_\S+$/,
  probe: /"target":"https:\/\/example\.com\/".*"status":"completed"/,
  lookUp: /"records":.*"cache":\{"hit":false,.*"records":.*"cache":\{"hit":true,/s,
  refused: /"FORBIDDEN".*"FORBIDDEN".*"AUTH_REQUIRED"/s,
  limits: /^HTTP\/1\.1 200 OK.*X-RateLimit-Limit: 1000.*X-RateLimit-Remaining: \d+.*X-RateLimit-Reset: 20/s,
  repeat: /202 Accepted.*"task_id":"(pt_\w+)".*202 Accepted.*Idempotent-Replayed: true.*"task_id":"\1"/s,
  lists: /"items":\[\{"task_id":.*"has_more":true.*"items":\[\{"id":"aud_.*"pagination":\{"page_size":1/s,
  languages: /需要身分驗證。.*"target":\[\{"code":"required".*"params\.count":\[\{"code":"range"/s,
  caching: /^304\n\d+\n\d+$/,
  leave: /"data":null.*"AUTH_SESSION_INVALID"/s,
};

t.test(
  'the commands of the guide work as printed, from registering to logging out',
  { skip: missing('curl') },
  async (t) => {
    const mailDir = temporaryDirectory(t);
    const { api } = await startStack(t, {
      VANTAGE_MAIL_DIR: mailDir,
      VANTAGE_PLANS: '{"anonymous": {"requests_per_minute": 1000}}',
    });
    await PeerAgent.connect(t, api.url, await enrollPeer(api));
    const commands = commandsOf(await (await fetch(`${api.url}/docs/guide`)).text());
    t.equal(commands.length, guideSteps.length + 1, 'one a step, and the one that fetches the client');
    const shell = openShell(t);
    for (const [index, step] of guideSteps.entries()) {
      let text = commands[index] ?? '';
      if (step === 'verify') {
        await until('the mail', () => readdirSync(mailDir).some((name) => name.endsWith('.eml')));
        text = text.replace('svc_ch_…', mailedToken(mailDir));
      }
      const printed = (await shell.type(text)).trim();
      t.match(printed, expected[step], step);
      if (step !== 'caching') continue;
      const [whole = 0, compressed = 0] = printed.split('\n').slice(1).map(Number);
      t.ok(compressed * 5 < whole, `${compressed} bytes instead of ${whole}`);
    }
  },
);

function mailedToken(mailDir: string): string {
  const name = readdirSync(mailDir).find((file) => file.endsWith('.eml')) ?? '';
  const source = readFileSync(join(mailDir, name), 'utf8');
  return /svc_ch_[\w-]{61}/.exec(source.replaceAll('=\r\n', ''))?.[0] ?? '';
}

t.test('the guide exists in every language, with the same commands and working links', async (t) => {
  const { api } = await startStack(t);
  const read = async (query: string, language: string) => {
    const response = await fetch(`${api.url}/docs/guide${query}`, { headers: { 'Accept-Language': language } });
    return { markup: await response.text(), headers: response.headers };
  };
  const english = await read('', 'de');
  t.match(english.markup, '<html lang="en">');
  t.match(english.headers.get('vary'), 'Accept-Language');
  for (const [query, language, title] of [
    ['', 'zh-HK, en;q=0.5', '使用 curl 快速入門'],
    ['?lang=zh-TW', 'en', '使用 curl 快速入門'],
    ['?lang=zh-CN', 'en', '使用 curl 快速入门'],
    ['?lang=en', 'zh-CN', 'Getting started with curl'],
    ['?lang=tlh', 'zh', '使用 curl 快速入门'],
  ] as const) {
    const page = await read(query, language);
    t.match(page.markup, `<h1>${title}</h1>`, `${query} ${language}`);
    t.strictSame(commandsOf(page.markup), commandsOf(english.markup));
    t.match(page.headers.get('content-language'), /^(?:en|zh-CN|zh-TW)$/);
  }
  const links = new Set([...english.markup.matchAll(/href="(\/[^"]*)"/g)].map(([, href = '']) => href));
  t.ok(links.size > 10);
  for (const href of links) t.equal((await fetch(api.url + href)).status, 200, href);
  for (const page of ['/', '/docs', '/docs/errors/FORBIDDEN']) {
    t.match(await (await fetch(api.url + page)).text(), 'href="/docs/guide"', `${page} links to it`);
  }
});
