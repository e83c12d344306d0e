import t from 'tap';
import { locales } from '../http/locale.js';
import { type Letter, write } from './letter.js';
import { renderMail } from './render.js';
import { type MailTemplateName, mailTemplates } from './templates/index.js';
import type { MailContent } from './templates/template.js';

const link = 'https://vantage.example/verify-email#chl_1?a=1&b=2';
const at = '2026-11-21T09:16:00.000Z';
const address = '2001:db8::7';

/** A letter of every template; a new template does not compile without one. */
const examples: { readonly [N in MailTemplateName]: Letter<N>['data'] } = {
  'verify-email': { link, token: 'chl_1secret', expiresHours: 24 },
  'reset-password': { link, token: 'chl_1secret', expiresMinutes: 30, address },
  'password-changed': { at, address },
  'account-deleted': { at },
  'monitor-event': {
    isDegraded: false,
    name: 'Shop',
    target: link,
    reason: 'tcp_refused',
    startedAt: at,
    endedAt: at,
  },
  'monitor-flapping': { isOver: false, isUp: true, name: 'Shop', target: link },
  'maintenance-notice': { title: 'New switches', monitors: 7, startsAt: at, endsAt: at },
};

const templateNames = Object.keys(mailTemplates) as MailTemplateName[];

function letters(data: Readonly<Record<string, unknown>> = {}): Letter[] {
  return templateNames.flatMap((template) =>
    locales.map((locale) => {
      const own = Object.entries(examples[template]).map(([key, value]) => [key, data[key] ?? value]);
      return { to: 'ada@a.example', locale, template, data: Object.fromEntries(own) } as Letter;
    }),
  );
}

t.test('every template says in every language all it was told, and nothing is left open', async (t) => {
  for (const letter of letters()) {
    const mail = renderMail(write(letter), letter.locale);
    const name = `${letter.template} ${letter.locale}`;
    t.match(mail.html, new RegExp(`^<!doctype html>\n<html lang="${letter.locale}"`), name);
    t.equal(/\p{Script=Han}/u.test(mail.subject), letter.locale !== 'en', `${name}: the subject's script`);
    t.notMatch(mail.subject + mail.text + mail.html, /undefined|null|NaN|\$\{|\[object/, name);
    for (const told of Object.values(letter.data).filter((value) => typeof value === 'string' && value !== at)) {
      t.ok(mail.text.includes(String(told)), `${name}: text has ${told}`);
      t.ok(mail.html.includes(String(told).replaceAll('&', '&amp;')), `${name}: HTML has ${told}`);
    }
  }
});

t.test('no two languages of a template say the same', async (t) => {
  for (const template of templateNames) {
    const said = letters().filter((letter) => letter.template === template);
    const texts = said.map((letter) => JSON.stringify(write(letter)));
    t.equal(new Set(texts).size, locales.length, template);
  }
});

t.test('times are long units in the language, and in UTC', async (t) => {
  const said = letters().map((letter) => renderMail(write(letter), letter.locale).text);
  for (const expected of [
    /within 24 hours/,
    /24小时内/,
    /24 小時內/,
    /within 30 minutes/,
    /30分钟内/,
    /30 分鐘內/,
    /November 21, 2026 at 9:16 AM UTC/,
    /2026年11月21日 09:16 UTC/,
    /2026年11月21日 上午9:16 UTC/,
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
    t.strictSame(hrefs, [link]);
    t.ok(text.split('\n').includes(link), 'on a line of its own');
  }
});

const evil = '</p><script>alert(1)</script>"\'&\r\nBcc: eve@e.example\u202egnp.exe\u2028\u0000';

t.test('hostile data adds no line, no markup and no direction of writing', async (t) => {
  const data = { token: evil, address: evil, link: `https://v.example/?x=${evil}` };
  for (const letter of letters(data)) {
    const name = `${letter.template} ${letter.locale}`;
    const calm = renderMail(write({ ...letter, data: examples[letter.template] } as Letter), letter.locale);
    const mail = renderMail(write(letter), letter.locale);
    t.notMatch(mail.text + mail.html + mail.subject, /[\r\0\u202e\u2028]/, name);
    t.equal(mail.text.split('\n').length, calm.text.split('\n').length, `${name}: lines of the text`);
    const tagsOf = (html: string) => html.match(/<[a-z!/][^\s>]*/gi);
    t.strictSame(tagsOf(mail.html), tagsOf(calm.html), `${name}: tags of the HTML`);
    t.notMatch(mail.subject, /Bcc|script/, name);
  }
});

t.test('a subject stays one line whatever a template puts into it', async (t) => {
  const content: MailContent = { subject: `Hello ${evil}`, blocks: [] };
  t.equal(renderMail(content, 'en').subject, 'Hello </p><script>alert(1)</script>"\'& Bcc: eve@e.examplegnp.exe ');
  t.match(renderMail(content, 'en').html, '<title>Hello &lt;/p&gt;&lt;script&gt;');
});

t.test('a link that is none of the web is refused', async (t) => {
  for (const target of ['javascript:alert(1)', 'data:text/html,x', '/verify']) {
    const content: MailContent = { subject: 'x', blocks: [{ kind: 'button', label: 'x', link: target }] };
    t.throws(() => renderMail(content, 'en'), target);
  }
});
