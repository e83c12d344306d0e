import t from 'tap';
import { locales } from '../http/locale.js';
import { accountMails } from '../modules/accounts/mails/index.js';
import { mailTemplates } from '../wiring/modules.js';
import { type Letter, write as writeLetter } from './letter.js';
import { renderMail } from './render.js';
import { button, links, type MailContent, type MailTemplateName } from './template.js';

const link = 'https://vantage.example/verify-email#chl_1?a=1&b=2';
const at = '2026-11-21T09:16:00.000Z';

const templateNames = Object.keys(mailTemplates) as MailTemplateName[];
const exampleOf = (name: MailTemplateName): Letter['data'] => mailTemplates[name]?.example;

function write(letter: Letter): MailContent {
  const content = writeLetter(letter, mailTemplates);
  if (content === null) throw new Error(`no template "${letter.template}"`);
  return content;
}

function letters(data: Readonly<Record<string, unknown>> = {}): Letter[] {
  return templateNames.flatMap((template) =>
    locales.map((locale) => {
      const own = Object.entries(exampleOf(template)).map(([key, value]) => [key, data[key] ?? value]);
      return { to: 'ada@a.example', locale, template, data: Object.fromEntries(own) } as Letter;
    }),
  );
}

t.test('every template contains all its data in every language, and no placeholder is left', async (t) => {
  for (const letter of letters()) {
    const mail = renderMail(write(letter), letter.locale);
    const name = `${letter.template} ${letter.locale}`;
    t.match(mail.html, new RegExp(`^<!doctype html>\n<html lang="${letter.locale}"`), name);
    t.equal(/\p{Script=Han}/u.test(mail.subject), letter.locale !== 'en', `${name}: the subject's script`);
    t.notMatch(mail.subject + mail.text + mail.html, /undefined|null|NaN|\$\{|\[object/, name);
    // a kind chooses words, and is not among them
    const reported = Object.entries(letter.data).flatMap(([key, value]) =>
      typeof value === 'string' && value !== at && key !== 'kind' ? [value] : [],
    );
    t.strictSame(
      reported.filter((value) => !mail.text.includes(value)),
      [],
      `${name}: text`,
    );
    t.strictSame(
      reported.filter((value) => !mail.html.includes(value.replaceAll('&', '&amp;'))),
      [],
      `${name}: HTML`,
    );
  }
});

t.test('the languages of a template differ', async (t) => {
  for (const template of templateNames) {
    const said = letters().filter((letter) => letter.template === template);
    const texts = said.map((letter) => JSON.stringify(write(letter)));
    t.equal(new Set(texts).size, locales.length, template);
  }
});

t.test('times are long units in the language, and instants by the clocks of the reader', async (t) => {
  const zones = ['UTC', 'Asia/Shanghai'];
  const said = zones.flatMap((timezone) =>
    letters().map((letter) => renderMail(write({ ...letter, timezone }), letter.locale).text),
  );
  for (const expected of [
    /within 24 hours/,
    /24小时内/,
    /24 小時內/,
    /within 30 minutes/,
    /30分钟内/,
    /30 分鐘內/,
    /November 21, 2026, 09:16 \(UTC\)/,
    /November 21, 2026, 17:16 \(Asia\/Shanghai\)/,
    /2026年11月21日 17:16（Asia\/Shanghai）/,
  ]) {
    t.ok(
      said.some((text) => expected.test(text)),
      String(expected),
    );
  }
});

t.test('text and HTML carry the same link', async (t) => {
  for (const letter of letters().filter(({ data }) => 'link' in data)) {
    const { text, html } = renderMail(write(letter), letter.locale);
    const hrefs = [...html.matchAll(/href="([^"]*)"/g)].map((match) => match[1]?.replaceAll('&amp;', '&'));
    t.strictSame(hrefs, [link], 'and shows no other');
    t.ok(text.split('\n').includes(link), 'on a line of its own');
  }
});

const evil = '</p><script>alert(1)</script>"\'&\r\nBcc: eve@e.example\u202egnp.exe\u2028\u0000';

t.test('hostile data adds no line, no markup and no direction of writing', async (t) => {
  const data = { token: evil, address: evil, link: `https://v.example/?x=${evil}` };
  for (const letter of letters(data)) {
    const name = `${letter.template} ${letter.locale}`;
    const calm = renderMail(write({ ...letter, data: exampleOf(letter.template) } as Letter), letter.locale);
    const mail = renderMail(write(letter), letter.locale);
    t.notMatch(mail.text + mail.html + mail.subject, /[\r\0\u202e\u2028]/, name);
    t.equal(mail.text.split('\n').length, calm.text.split('\n').length, `${name}: lines of the text`);
    const tagsOf = (html: string) => html.match(/<[a-z!/][^\s>]*/gi);
    t.strictSame(tagsOf(mail.html), tagsOf(calm.html), `${name}: tags of the HTML`);
    t.notMatch(mail.subject, /Bcc|script/, name);
  }
});

t.test('names that a stranger may have given make no link in a mail and add no line to it', async (t) => {
  const names = [`${evil} http://phish.example/now`, 'www.phish.example', `ask@phish.example ${'x'.repeat(500)}`];
  const list = { names, total: names.length };
  const revoked = {
    sessions: 0,
    passkeys: list,
    apiKeys: list,
    personalTokens: list,
    enrollmentTokens: list,
    identities: list,
    holdings: [{ words: { en: 'Nodes', 'zh-CN': '节点', 'zh-TW': '節點' }, ...list }],
  };
  for (const locale of locales) {
    const data = { ...accountMails['account-access'].example, revoked, passkeys: list, nodes: list };
    const { text, html } = renderMail(write({ to: 'ada@a.example', locale, template: 'account-access', data }), locale);
    t.notMatch(text + html, /phish\.example|:\/\/|[\r\0\u202e\u2028]|x{65}/, locale);
    t.match(text, /www\u2024phish\u2024example/, `${locale}: as it looks`);
    t.equal(
      text.split('\n').filter((line) => line.includes('alert(1)')).length,
      8,
      `${locale}: one line for each kind`,
    );
    for (const name of names) {
      const notice = { kind: 'passkey.added', name, at, address: '' } as const;
      const mail = write({ to: 'ada@a.example', locale, template: 'security-notice', data: notice });
      t.notMatch(renderMail(mail, locale).text, /phish\.example|:\/\/|[\r\0\u202e\u2028]|x{65}/, `${locale}: notice`);
    }
  }
});

t.test('a subject stays one line, whatever a template inserts', async (t) => {
  const content: MailContent = { subject: `Hello ${evil}`, blocks: [] };
  t.equal(renderMail(content, 'en').subject, 'Hello </p><script>alert(1)</script>"\'& Bcc: eve@e.examplegnp.exe ');
  t.match(renderMail(content, 'en').html, '<title>Hello &lt;/p&gt;&lt;script&gt;');
});

t.test('a link that is not an http or https URL is refused', async (t) => {
  for (const target of ['javascript:alert(1)', 'data:text/html,x', '/verify'])
    for (const block of [button('x', target), links([{ label: 'x', link: target }])])
      t.throws(() => renderMail({ subject: 'x', blocks: [block] }, 'en'), target);
});

t.test('links are words in the page, and addresses in the text', async (t) => {
  const content: MailContent = {
    subject: 'x',
    blocks: [button('Open', link), links([{ label: 'Stop', link: `${link}#stop` }])],
  };
  const { text, html } = renderMail(content, 'en');
  t.match(text, `Open:\n${link}\n\nStop:\n${link}#stop\n`);
  t.notMatch(html.replace(/<[^>]*>/g, ''), '://');
});

t.test(
  'a headline is the first line of the text and the heading of the page; the subject is only in the header',
  async (t) => {
    const content: MailContent = {
      subject: 'Down: Blog',
      headline: 'Blog is down',
      tone: 'bad',
      blocks: [{ kind: 'facts', facts: [{ label: 'Seen by', value: 'Berlin' }] }],
    };
    const { subject, text, html } = renderMail(content, 'en');
    t.equal(subject, 'Down: Blog');
    t.match(text, /^Blog is down\n\nSeen by: Berlin\n/);
    t.match(html, /<h1 class="bad"[^>]*>Blog is down<\/h1>/);
    t.notMatch(html, 'Down: Blog');
  },
);
