import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import type { Knex } from 'knex';
import t, { type Test } from 'tap';
import { parseConfig } from '../src/config/config.js';
import { locales } from '../src/http/locale.js';
import { openMail } from '../src/mail/index.js';
import type { Letter } from '../src/mail/letter.js';
import { sendMail } from '../src/mail/send-mail.js';
import { mailTemplates } from '../src/wiring/modules.js';
import { createReusedDatabase, type TestDatabase } from './_support/database.js';
import { startJobReplica } from './_support/job-replica.js';
import { headerOf, readMail, startSmtpServer, type TestSmtpServer } from './_support/smtp-server.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

const fresh = await createReusedDatabase(t);
const token = 'chl_9sEcReT';
const link = `https://vantage.example/verify-email#${token}`;
const address = 'ada@mail.example';

const letter = (more: Partial<Letter<'verify-email'>> = {}): Letter => ({
  to: address,
  locale: 'en',
  template: 'verify-email',
  data: { link, token, expiresHours: 24 },
  ...more,
});

/** Mail as configured by `settings`; its clock stands at 2026-01-01. */
function mailOf(t: Test, settings: Readonly<Record<string, string>>) {
  const { config } = parseConfig({ env: { VANTAGE_DATA_DIR: temporaryDirectory(t), ...settings }, file: null });
  const secretKey = Buffer.alloc(32, 7);
  return openMail({
    config,
    secretKey,
    publicUrl: 'https://vantage.example',
    clock: new FakeClock(),
    templates: mailTemplates,
  });
}

/** A replica that sends mail to `server`, and mail to submit. */
async function startMail(t: Test, database: TestDatabase, server: TestSmtpServer) {
  const { mail, mailer } = mailOf(t, { VANTAGE_SMTP_URL: `smtp://${server.host}` });
  const clock = new FakeClock();
  const replica = await startJobReplica(t, { database, types: [sendMail], services: { mailer }, clock });
  return { mail, clock, ...replica };
}

interface QueuedJob {
  readonly attempts: number;
  readonly max_attempts: number;
  readonly last_error: string | null;
  readonly locked_by: string | null;
}

async function queueOf(db: Knex): Promise<QueuedJob[]> {
  const { rows } = await db.raw<{ rows: QueuedJob[] }>('SELECT * FROM vantage_jobs.jobs ORDER BY id');
  return rows;
}

async function tryAgain(db: Knex): Promise<void> {
  await db.raw('SELECT vantage_jobs.reschedule_jobs(ARRAY(SELECT id FROM vantage_jobs.jobs), run_at => now())');
  await db.raw(`SELECT pg_notify('jobs:insert', '{"count":1}')`);
}

t.test('a mail arrives in its language, as text and HTML, from our address and to one recipient', async (t) => {
  const database = await fresh();
  const server = await startSmtpServer(t);
  const { mail } = await startMail(t, database, server);
  await database.db.transaction(async (trx) => {
    for (const locale of locales) await mail.enqueue(trx, letter({ locale }));
  });
  await until('three mails', () => server.mails.length === 3);
  const read = await Promise.all(server.mails.map(readMail));
  const subjects = read.map((message) => `${headerOf(message, 'content-language')} ${message.subject}`);
  t.strictSame(subjects.sort(), [
    'en Confirm your e-mail address',
    'zh-CN 请确认您的邮箱',
    'zh-TW 請確認您的電子郵件地址',
  ]);
  for (const message of read) {
    const language = headerOf(message, 'content-language');
    t.match(message.from, { name: 'Vantage', address: 'vantage@vantage.example' });
    t.match(message.to, [{ address }]);
    t.equal(message.to?.length, 1);
    t.match(message.html, `<html lang="${language}"`);
    t.ok(message.text?.includes(link) && message.html?.includes(link), 'the link');
    t.ok(message.text?.includes(`\n${token}\n`), 'the token');
    t.equal(message.date, '2026-01-01T00:00:00.000Z', 'the time of submission');
    t.match(message.messageId, /^<[0-9a-f-]{36}@vantage\.example>$/);
    t.equal(headerOf(message, 'auto-submitted'), 'auto-generated');
    t.strictSame(message.attachments, []);
  }
  t.equal(new Set(read.map(({ messageId }) => messageId)).size, 3);
  t.match(server.mails, [{ from: 'vantage@vantage.example', to: [address] }, {}, {}]);
});

t.test('a mail whose transaction is rolled back is not sent, and one to several recipients is refused', async (t) => {
  const database = await fresh();
  const server = await startSmtpServer(t);
  const { mail } = await startMail(t, database, server);
  const failed = database.db.transaction(async (trx) => {
    await mail.enqueue(trx, letter({ to: 'nobody@mail.example' }));
    throw new Error('no');
  });
  await t.rejects(failed, /^no$/);
  for (const to of ['a@b.example,c@d.example', 'a@b.example\r\nBcc: c@d.example', 'A <a@b.example>', '', 'root']) {
    await t.rejects(mail.enqueue(database.db, letter({ to })), RangeError, JSON.stringify(to));
  }
  await mail.enqueue(database.db, letter());
  await until('the queue to be empty', async () => (await queueOf(database.db)).length === 0);
  t.strictSame(
    server.mails.map(({ to }) => to),
    [[address]],
  );
});

t.test('neither address nor token can be read in the database, in an error or in the log', async (t) => {
  const database = await fresh();
  const server = await startSmtpServer(t);
  server.toMessage = () => `451 4.7.1 <${address}> see ${link} or token=${token}`;
  const { mail, log } = await startMail(t, database, server);
  await mail.enqueue(database.db, letter());
  await until('a failure', async () => (await queueOf(database.db))[0]?.last_error !== null);
  const { rows } = await database.db.raw('SELECT j::text AS line FROM vantage_jobs._private_jobs j');
  t.match(await queueOf(database.db), [{ last_error: 'the mail server refused DATA: 451 4.7.1 … see … or …' }]);
  for (const text of [JSON.stringify(rows), JSON.stringify(log)]) {
    t.notMatch(text, new RegExp(`${token}|${address}|mail\\.example|Confirm|verify`));
    t.notMatch(text, Buffer.from(token).toString('base64').slice(0, 12));
  }
});

t.test('a temporary refusal is retried with the same message', async (t) => {
  const database = await fresh();
  const server = await startSmtpServer(t);
  const tried: string[] = [];
  server.toMessage = (source) => (tried.push(source.toString('latin1')) === 1 ? '451 4.3.0 later' : null);
  const { mail } = await startMail(t, database, server);
  await mail.enqueue(database.db, letter());
  await until('the refusal', async () => (await queueOf(database.db))[0]?.last_error !== null);
  t.match(await queueOf(database.db), [{ attempts: 1, max_attempts: 10 }]);
  await tryAgain(database.db);
  await until('the mail', () => server.mails.length === 1);
  await until('the queue to be empty', async () => (await queueOf(database.db)).length === 0);
  t.equal(tried.length, 2);
  t.equal(tried[0], tried[1]);
});

t.test(
  'a permanent refusal of the recipient or of the message is not retried; a refusal of the sender is',
  async (t) => {
    const cases: { name: string; refuse: Partial<TestSmtpServer>; attempts: number }[] = [
      { name: 'recipient', refuse: { toRecipient: () => '550 5.1.1 unknown' }, attempts: 10 },
      { name: 'message', refuse: { toMessage: () => '554 5.7.1 spam' }, attempts: 10 },
      { name: 'sender', refuse: { toSender: () => '550 5.7.1 who are you' }, attempts: 1 },
      { name: 'recipient for now', refuse: { toRecipient: () => '450 4.2.1 busy' }, attempts: 1 },
    ];
    for (const { name, refuse, attempts } of cases) {
      const database = await fresh();
      const server = Object.assign(await startSmtpServer(t), refuse);
      const { mail, log } = await startMail(t, database, server);
      await mail.enqueue(database.db, letter());
      await until('the failure', async () => (await queueOf(database.db))[0]?.last_error !== null);
      t.match(await queueOf(database.db), [{ attempts, max_attempts: 10 }], name);
      t.equal(log.filter(({ msg }) => msg === 'job is dead').length, attempts === 10 ? 1 : 0, name);
    }
  },
);

t.test('two replicas send each mail once', async (t) => {
  const database = await fresh();
  const server = await startSmtpServer(t);
  const { mail } = await startMail(t, database, server);
  await startMail(t, database, server);
  const people = Array.from({ length: 20 }, (_, n) => `person-${String(n).padStart(2, '0')}@mail.example`);
  await database.db.transaction(async (trx) => {
    for (const to of people) await mail.enqueue(trx, letter({ to }));
  });
  await until('the queue to be empty', async () => (await queueOf(database.db)).length === 0);
  t.strictSame(server.mails.flatMap(({ to }) => to).sort(), people);
});

t.test('a replica that stops while sending loses nothing: another one sends the mail', async (t) => {
  const database = await fresh();
  const server = await startSmtpServer(t);
  let asked = 0;
  const never = new Promise<null>(() => {});
  server.toMessage = () => (++asked === 1 ? never : null);
  const { mail, jobs, clock } = await startMail(t, database, server);
  await mail.enqueue(database.db, letter());
  await until('the message to be under way', () => asked === 1);
  const stopped = jobs.stop();
  await until('the delay to be waited for', () => clock.pendingTimers > 0);
  clock.advance(5_000);
  await stopped;
  t.match(await queueOf(database.db), [{ attempts: 0, locked_by: null, last_error: null }]);
  await startMail(t, database, server);
  await until('the mail', () => server.mails.length === 1);
  await until('the queue to be empty', async () => (await queueOf(database.db)).length === 0);
});

t.test('without a mail server mails become files that only their owner can read', async (t) => {
  const database = await fresh();
  const path = join(temporaryDirectory(t), 'made', 'mail');
  const { mail, mailer, directory } = mailOf(t, { VANTAGE_MAIL_DIR: path, VANTAGE_MAIL_FROM: 'Ops <ops@b.example>' });
  t.equal(directory, path);
  await startJobReplica(t, { database, types: [sendMail], services: { mailer } });
  await mail.enqueue(database.db, letter({ locale: 'zh-TW' }));
  await until('the queue to be empty', async () => (await queueOf(database.db)).length === 0);
  const [name = '', text = '', ...others] = readdirSync(path).sort();
  t.strictSame([text, others], [name.replace('.eml', '.txt'), []]);
  t.ok(readFileSync(join(path, text), 'utf8').includes(`\n${link}\n`), 'a link to copy');
  t.equal(statSync(join(path, text)).mode & 0o777, 0o600);
  t.match(name, /^2026-01-01T00-00-00\.000Z-verify-email-[0-9a-f]{16}\.eml$/);
  t.equal(statSync(path).mode & 0o777, 0o700);
  t.equal(statSync(join(path, name)).mode & 0o777, 0o600);
  const source = readFileSync(join(path, name));
  t.notMatch(source.toString('latin1'), /[^\r]\n/, 'lines end as in a mail');
  const message = await readMail({ source });
  t.match(message, { subject: '請確認您的電子郵件地址', from: { name: 'Ops', address: 'ops@b.example' } });
  t.ok(message.text?.includes(link));
});

t.test('without VANTAGE_MAIL_DIR they are in the data directory, and the sender has the public host', async (t) => {
  const dataDir = temporaryDirectory(t);
  t.equal(mailOf(t, { VANTAGE_DATA_DIR: dataDir }).directory, join(dataDir, 'mail'));
});
