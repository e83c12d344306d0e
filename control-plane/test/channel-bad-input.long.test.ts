import type { Vendor } from '@vantage/shared/_support/vendors/vendor-server.js';
import { isStorableText } from '@vantage/shared/text.js';
import t, { type Test } from 'tap';
import { locales } from '../src/http/locale.js';
import { smsSize } from '../src/modules/alerts/types/formats/sms-segments.js';
import type { Message } from '../src/modules/alerts/types/message.js';
import { channelTypes } from '../src/modules/alerts/types/registry.js';
import { alertMessage } from '../src/modules/alerts/types/texts/alert-message.js';
import { digestMessage } from '../src/modules/alerts/types/texts/digest-message.js';
import { webhookType } from '../src/modules/alerts/types/webhook.js';
import { aDigest, anAlert, messagesAtMs } from './_support/alert-messages.js';
import { deliver, knownConfigs } from './_support/channel-attempts.js';
import { emailDeliverer } from './_support/email-attempts.js';
import { startReceiver } from './_support/receiver.js';
import { readMail, startSmtpServer } from './_support/smtp-server.js';
import { settingsFor, startVendorOf, vendorTypeNames } from './_support/vendors/index.js';

// Names of monitors and error texts of targets are written by strangers. Each stand-in reads the markup and the mentions
// of its vendor.

const hostile =
  'Shop <!channel> <!here|x> <@U012AB> @all @here @channel <at user_id="all">x</at> <at id=all></at> <@all> </b><script>_*[x](http://evil.example)~`' +
  '"\'\\ &lt;b&gt; &#60; {{title}}\r\n# Shop \u202eevil\u2066 \u0000\u001b[31m\ud800';
const emoji = '👩‍👩‍👧‍👦'.repeat(40);
const ack = 'https://vantage.example/a/token-01';

const cases: Readonly<Record<string, (locale: (typeof locales)[number]) => Message>> = {
  'a name full of markup and mentions': (locale) =>
    alertMessage(
      anAlert({ monitor: { name: hostile, type: 'https', target: hostile }, reason: hostile, nodes: [hostile] }),
      {
        locale,
        timezone: 'Asia/Shanghai',
      },
    ),
  'a reason of 100 kB': (locale) =>
    alertMessage(anAlert({ reason: `${hostile}𠮷é`.repeat(1_000).slice(0, 100_000) }), { locale, timezone: 'UTC' }),
  'a name of 200 emoji': (locale) =>
    alertMessage(anAlert({ monitor: { name: emoji, type: 'ping', target: emoji } }), { locale, timezone: 'UTC' }),
  'a digest of such names': (locale) =>
    digestMessage(
      aDigest(Array.from({ length: 60 }, () => ({ monitor: { name: hostile.repeat(3), type: 'ping', target: '' } }))),
      {
        locale,
        timezone: 'UTC',
      },
    ),
  'a text of the owner of 16 KiB': (locale) => ({
    ...alertMessage(anAlert(), { locale, timezone: 'UTC' }),
    customText: `${hostile}\n# Shop 𠮷`.repeat(400).slice(0, 16_384),
  }),
};

for (const name of vendorTypeNames) {
  t.test(`${name}: texts of strangers arrive as text, in every language`, async (t) => {
    const clock = { nowMs: messagesAtMs };
    const vendor = await startVendorOf[name]({ now: () => clock.nowMs });
    t.teardown(() => vendor.close());
    const type = channelTypes(settingsFor(name, vendor))[name];
    const config = knownConfigs[name](vendor.origin);
    for (const [title, messageIn] of Object.entries(cases)) {
      for (const locale of locales) {
        for (const isPlain of [false, true]) {
          clock.nowMs += 60_000;
          const message = messageIn(locale);
          const outcome = await deliver(type, { config, message, isPlain, nowMs: clock.nowMs });
          t.match(outcome, { kind: 'accepted' }, `${title}, ${locale}, ${isPlain}: ${JSON.stringify(outcome)}`);
          judge(t, name, vendor, { title, isPlain, message });
        }
      }
    }
  });
}

t.test('email: whatever strangers write arrives, as text, in every language', async (t) => {
  const server = await startSmtpServer(t);
  const send = emailDeliverer(server.host);
  for (const [title, messageIn] of Object.entries(cases)) {
    for (const locale of locales) {
      for (const isPlain of [false, true]) {
        const message = messageIn(locale);
        t.match(await send(message, isPlain), { kind: 'accepted' }, `${title}, ${locale}, ${isPlain}`);
        const [received] = server.mails.slice(-1);
        if (received === undefined) throw new Error('no mail arrived');
        const mail = await readMail(received);
        const { text = '', html = '', subject = '' } = mail;
        t.equal(mail.to?.length, 1, title);
        t.notOk(mail.bcc, title);
        for (const part of [text, html, subject]) {
          t.ok(isStorableText(part), `${title}: no half characters`);
          t.notMatch(part, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u, title);
        }
        t.match(text, title.includes('emoji') ? /👩👩?/u : /Shop/, title);
        t.equal(html === '', isPlain);
        t.notMatch(html, /<script|<at |<!channel|<@/, `${title}: no markup of a stranger`);
        if (message.links[0]?.url === ack) t.match(text, ack, `${title}: the link is whole`);
      }
    }
  }
});

t.test('webhook: whatever strangers write stays in its place, in every language and every kind of body', async (t) => {
  const receiver = await startReceiver(t);
  const url = `${receiver.url}/`;
  const strings = '{"title": "{{title}}", "nested": [{"text": "{{text}}"}, 1], "name": "{{monitor.name}}"}';
  const bodies = {
    event: {},
    strings: { body: strings },
    text: {
      body: '{"title": {{title|truncate:500|json}}, "nested": [{"text": {{text|truncate:500|json}}}, {{count}}]}',
    },
  };
  for (const [title, messageIn] of Object.entries(cases)) {
    for (const locale of locales) {
      for (const [name, body] of Object.entries(bodies)) {
        const about = `${title}, ${locale}, ${name}`;
        const config = { url, method: 'POST', headers: {}, content_type: 'application/json', sign: false, ...body };
        const delivering = { config, message: messageIn(locale), allow: ['127.0.0.1/32'] };
        t.match(await deliver(webhookType, delivering), { kind: 'accepted' }, about);
        const sent = JSON.parse(receiver.requests.at(-1)?.body ?? '');
        if (name === 'event') t.strictSame(sent, JSON.parse(JSON.stringify(delivering.message.payload)), about);
        else t.match(sent, { title: String, nested: [{ text: String }, Number] }, about);
        if (name !== 'event') t.equal(sent.nested.length, 2, `${about}: nothing was added`);
        t.ok(isStorableText(sent.title ?? ''), about);
      }
    }
  }
});

interface About {
  readonly title: string;
  readonly isPlain: boolean;
  readonly message: Message;
}

function judge(t: Test, name: string, vendor: Vendor, about: About): void {
  const { title, isPlain } = about;
  const { text = '', mentions, body } = vendor.taken.at(-1) ?? {};
  t.strictSame(mentions, [], `${title}: no mentions`);
  t.ok(isStorableText(text), `${title}: no half characters`);
  t.notMatch(
    text,
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/u,
    `${title}: no control characters`,
  );
  if (title === 'a name full of markup and mentions') t.ok(text.includes('Shop'), text);
  const hasLinks = name !== 'voice' && !(name === 'sms' && isPlain);
  if (hasLinks && about.message.links[0]?.url === ack)
    t.ok(JSON.stringify(body).includes(ack), `${title}: the link is whole`);
  if (name === 'sms') t.ok(smsSize(text).segments <= 3, `${title}: ${smsSize(text).segments} segments`);
}
