import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import t from 'tap';
import { isMailAddress, parseSmtpUrl } from '../src/config/setting-values.js';
import { composeMessage, type Message } from '../src/mail/message.js';
import { renderMail } from '../src/mail/render.js';
import { alertChannelFailing } from '../src/modules/alerts/mails/alert-channel-failing.js';
import { patientSmtp } from './_support/patient-smtp.js';
import { recordSmtp } from './_support/recording-smtp-server.js';
import { readMail } from './_support/smtp-server.js';

const from = { name: 'Vantage', address: 'vantage@vantage.example' };
const to = 'ada@mail.example';
const letter = { locale: 'en', to, template: 'alert-channel-failing' } as const;

/** Mail with texts of an owner, and of a server, in it. */
function messageAbout(name: string, type: string, error: string): Promise<Message> {
  const data = { name, type, error, since: '2026-01-02T03:04:05.000Z' };
  const mark = { ...letter, messageId: '<1@vantage.example>', queuedAtMs: 0 };
  return composeMessage(mark, renderMail(alertChannelFailing.en(data, 'UTC'), 'en'), from);
}

const hostileTexts = [
  'a\r\n.\r\nMAIL FROM:<evil@x.example>',
  'a\n.\nRCPT TO:<b@x.example>',
  'a\r.\rDATA',
  'a\r\nBcc: b@x.example',
  'a\nContent-Type: text/html\n\n<script>',
  '.',
  '..',
  '\r\n.',
  '=0D=0A.=0D=0A',
  '=?utf-8?q?a=0D=0ABcc:_b=40x.example?=',
  'a\u2028Bcc: b@x.example',
  'a\u0085.\u0085',
  '\0\x0b\x0c',
  '<b@x.example>, "c" <d@x.example>',
  `${'x'.repeat(2_000)}\r\n.\r\n`,
];

/** Texts made of the pieces that end lines, headers and messages. */
const hostileText = fc
  .array(fc.constantFrom('\r', '\n', '.', ' ', '\t', ':', '=', '?', '<', '>', '@', 'Bcc', 'é', '\u2028', 'a', '\0'), {
    maxLength: 60,
  })
  .map((parts) => parts.join(''));

t.test('no text of an owner or a server ends a header, a line or the message', async (t) => {
  const server = await recordSmtp(t);
  const transport = patientSmtp(`smtp://${server.host}`);
  const texts = [...hostileTexts, ...fc.sample(hostileText, 60)];
  for (const text of texts) await transport.deliver(await messageAbout(text, text, text), never);
  t.equal(server.messages.length, texts.length);
  for (const [index, message] of server.messages.entries()) {
    const of = encodeURIComponent(texts[index] ?? '');
    // the text "LF dot LF" and similar texts end a message for some servers: RFC 5321 section 2.3.8 allows CR and LF
    // together only
    t.notMatch(message.toString('latin1'), /(?<!\r)\n|\r(?!\n)|[\0\x0b\x0c]/, `${of}: no bare CR or LF`);
    const mail = await readMail({ source: Buffer.from(message.toString('latin1').replace(/^\./gm, ''), 'latin1') });
    t.strictSame(
      { to: mail.to?.map(({ address }) => address), from: mail.from?.address, cc: mail.cc, bcc: mail.bcc },
      { to: [to], from: from.address, cc: undefined, bcc: undefined },
      `${of}: no other recipient`,
    );
    const names = mail.headers.map(({ key }) => key).sort();
    t.strictSame(names, expectedHeaders, `${of}: no other header`);
  }
  const verbs = server.commands.map((command) => command.split(/[ :]/, 1)[0]);
  const counts = (verb: string) => verbs.filter((word) => word === verb).length;
  t.strictSame([counts('MAIL'), counts('RCPT'), counts('DATA')], Array(3).fill(texts.length), 'one mail for each text');
});

const never = new AbortController().signal;
const expectedHeaders = [
  'auto-submitted',
  'content-language',
  'content-type',
  'date',
  'from',
  'message-id',
  'mime-version',
  'subject',
  'to',
];

t.test('an accepted address is the only recipient of its mail, whatever characters it has', async (t) => {
  const server = await recordSmtp(t, { extensions: ['SMTPUTF8'] });
  const transport = patientSmtp(`smtp://${server.host}`);
  const piece = fc.constantFrom(...`abc'*+-/=?^_\`{|}~!#$%&.@<>,;:"()[]\\ \r\n\t\0é`);
  const addresses = fc.tuple(
    fc.string({ unit: piece, minLength: 1, maxLength: 12 }),
    fc.constantFrom('', '@b.example'),
  );
  const tried = fc
    .sample(addresses, 3_000)
    .map(([local, domain]) => `${local}${domain}`)
    .filter((address) => isMailAddress(address) && domainToASCII(address.slice(address.lastIndexOf('@') + 1)) !== '');
  const taken = [...tried.slice(0, 100), "o'hara+x@b.example", 'a!b%c@d.example', '-oX@b.example', '`id`@b.example'];
  const source = Buffer.from('Subject: hello\r\n\r\nhello\r\n');
  for (const address of taken) {
    const before = server.commands.length;
    const at = address.lastIndexOf('@');
    await transport.deliver({ ...(await messageAbout('a', 'b', 'c')), to: address, source }, never);
    const recipients = server.commands.slice(before).filter((command) => command.startsWith('RCPT'));
    // RFC 5321 section 4.1.2: a local part may be quoted, and is the same mailbox; RFC 6531: a domain may be in Unicode
    const plain = recipients.map((recipient) => {
      const [, local = '', domain = ''] = /^RCPT TO:<(.*)@(.*)>/.exec(recipient) ?? [];
      return `${local.replace(/^"([^"\\]*)"$/, '$1')}@${domainToASCII(domain)}`;
    });
    t.strictSame(plain, [`${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`]);
  }
  t.ok(taken.length > 50, `${taken.length} addresses were tried`);
});

t.test('an attacker who suppresses or breaks STARTTLS gets no mail in plain text', async (t) => {
  for (const [name, options] of [
    ['not offered', {}],
    ['offered and refused', { extensions: ['STARTTLS'], toStartTls: '454 not now' }],
    [
      'offered, with responses injected behind it',
      { extensions: ['STARTTLS'], toStartTls: '220 go\r\n250 OK\r\n250 OK' },
    ],
  ] as const) {
    const server = await recordSmtp(t, options);
    // as for a remote server: the test's own is on this machine
    const { encryption } = parseSmtpUrl('smtp://relay.example');
    const transport = patientSmtp({ ...parseSmtpUrl(`smtp://${server.host}`), encryption });
    await t.rejects(transport.deliver(await messageAbout('a', 'b', 'c'), never), name);
    t.notOk(
      server.commands.some((command) => /^(?:MAIL|RCPT|DATA|AUTH)/i.test(command)),
      `${name}: neither recipient nor message was sent`,
    );
    t.strictSame(server.messages, [], name);
  }
});
