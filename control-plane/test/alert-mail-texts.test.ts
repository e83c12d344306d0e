import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import { locales } from '../src/http/locale.js';
import { renderMail } from '../src/mail/render.js';
import type { MailContent } from '../src/mail/template.js';
import { emailType } from '../src/modules/alerts/types/email.js';
import { alertMessage } from '../src/modules/alerts/types/texts/alert-message.js';
import type { AlertFacts } from '../src/modules/alerts/types/texts/facts.js';
import { anAlert, messagesAtMs } from './_support/alert-messages.js';

const startedAtMs = messagesAtMs - 382_000;
const job = { name: 'Nightly backup', type: 'heartbeat', target: '' };
const recovered = { kind: 'resolved', resolution: 'recovered', resolvedAtMs: messagesAtMs } as const;

const cases: Readonly<Record<string, Partial<AlertFacts>>> = {
  down: { reason: '2 of 3 nodes: assertion_failed: status is 503, expected 200-299' },
  up: recovered,
  'job-failed': { monitor: job, reason: 'it ended with exit code 3', nodes: [] },
  'job-silent': { monitor: job, reason: 'no ping came that was expected at 2026-11-21T09:13:38.000Z', nodes: [] },
  'job-up': { ...recovered, monitor: job, nodes: [] },
};

// UPDATE_GOLDEN=1 writes the texts: look at them before they are committed.

/** Mail of a message, as `deliver` gives it to the transport. */
async function mailOf(facts: Partial<AlertFacts>, locale: (typeof locales)[number]) {
  const alert = anAlert({ startedAtMs, ...facts });
  const monitor = { id: 'm_01', name: alert.monitor.name };
  const message = { ...alertMessage(alert, { locale, timezone: 'UTC' }), monitor };
  let content: MailContent | null = null;
  const mail = async (sent: { readonly content: MailContent }) => {
    content = sent.content;
    return 'mail-1';
  };
  const unsubscribeUrl = 'https://vantage.example/unsubscribe/token-02';
  const stopUrl = 'https://vantage.example/stop/token-03';
  await emailType.deliver({ message, locale, firstProviderId: null, unsubscribeUrl, stopUrl, mail } as never, false);
  if (content === null) throw new Error('no mail was sent');
  return renderMail(content, locale);
}

for (const [name, facts] of Object.entries(cases)) {
  t.test(`the mail "${name}" begins with the change in each language, and its text needs no subject`, async (t) => {
    const mails = await Promise.all(locales.map((locale) => mailOf(facts, locale)));
    const now = mails.map(({ subject, text }) => `Subject: ${subject}\n\n${text}`).join('\n==========\n');
    const file = fileURLToPath(new URL(`../../test/testdata/mails/${name}.txt`, import.meta.url));
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, now);
    t.equal(now, readFileSync(file, 'utf8'));
    const monitor = facts.monitor?.name ?? 'Shop';
    for (const { text } of mails) t.ok(text.split('\n')[0]?.includes(monitor), text);
  });
}
