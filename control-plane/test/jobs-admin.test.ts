import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { until } from '@vantage/shared/_support/until.js';
import { systemClock } from '@vantage/shared/clock.js';
import t from 'tap';
import { parseConfig } from '../src/config/config.js';
import { JobCounts } from '../src/jobs/job-counts.js';
import { insertJob } from '../src/jobs/store.js';
import { openMail } from '../src/mail/index.js';
import { mailTemplates } from '../src/wiring/modules.js';
import { createTestDatabase } from './_support/database.js';
import { putOffRetries } from './_support/put-off-retries.js';
import { startSmtpServer } from './_support/smtp-server.js';
import { createUserApi, startStack } from './_support/stack.js';

const secretKey = Buffer.alloc(32, 9);
const publicUrl = 'https://vantage.example';

t.test('administrators see the queued jobs, and may retry or drop them', async (t) => {
  const server = await startSmtpServer(t);
  let deliver = () => {};
  const held = new Promise<null>((resolve) => void (deliver = () => resolve(null)));
  const refusals: Record<string, string> = {
    gone: '550 5.1.1 unknown',
    lost: '550 5.1.1 unknown',
    busy: '450 4.2.1 later',
  };
  server.toRecipient = (address) => refusals[address.split('@')[0] ?? ''] ?? null;
  server.toMessage = () => held;
  const settings = {
    VANTAGE_SMTP_URL: `smtp://${server.host}`,
    VANTAGE_SECRET_KEY: secretKey.toString('base64'),
    VANTAGE_PUBLIC_URL: publicUrl,
    VANTAGE_METRICS_LISTEN: '127.0.0.1:0',
  };
  const { database, controlPlane, api } = await startStack(t, settings);
  const { db } = database;
  // a mail that is refused for now is tried again within three seconds, whether or not the test has come to it
  await putOffRetries(db);
  const { config } = parseConfig({ env: settings, file: null });
  const { mail } = openMail({ config, secretKey, publicUrl, clock: systemClock, templates: mailTemplates });
  const send = (user: string) => {
    const data = { at: '2026-11-21T00:00:00Z' };
    return mail.enqueue(db, { to: `${user}@mail.example`, locale: 'en', template: 'account-deleted', data });
  };
  const list = async (query = '') => (await api.call('GET', `/v1/admin/jobs${query}`)).body;
  const states = async () => (await list()).data.items.map(({ state }: { state: string }) => state);
  const act = async (method: string, path: string) => {
    const { status, body } = await api.call(method, `/v1/admin/jobs/${path}`);
    return [status, body.error?.code ?? body.data?.state ?? null];
  };

  for (const user of ['gone', 'lost', 'busy', 'slow']) await send(user);
  await insertJob(db, { type: 'of.another.version', payload: {}, maxAttempts: 3 });
  const expected = ['ready', 'running', 'waiting', 'dead', 'dead'];
  await until('every job to be in its state', async () => (await states()).join() === expected.join());

  const { data, meta } = await list();
  const [ready, running, waiting, lost, gone] = data.items.map(({ id }: { id: string }) => id);
  t.match(data.items, [
    { type: 'of.another.version', state: 'ready', attempts: 0, max_attempts: 3, last_error: null },
    { type: 'mail.send', state: 'running', attempts: 1, max_attempts: 10 },
    { state: 'waiting', last_error: 'the mail server refused RCPT TO: 450 4.2.1 later' },
    { state: 'dead', attempts: 10, last_error: 'the mail server refused RCPT TO: 550 5.1.1 unknown' },
    { state: 'dead' },
  ]);
  t.match(meta.pagination, { total: 5, has_more: false });
  t.notMatch(JSON.stringify(data), /sealed|payload|mail\.example/);
  t.match((await list('?state=dead&type=mail.send&page_size=1&page=2')).data.items, [{ id: gone }]);
  t.match((await list('?type=of.another.version')).meta.pagination, { total: 1 });
  const text = await (await fetch(controlPlane.metricsUrl ?? '')).text();
  t.strictSame(text.match(/^vantage_jobs\{.*/gm), [
    'vantage_jobs{state="ready"} 1',
    'vantage_jobs{state="running"} 1',
    'vantage_jobs{state="waiting"} 1',
    'vantage_jobs{state="dead"} 2',
  ]);

  t.strictSame(await act('POST', `${running}/retry`), [409, 'CONFLICT']);
  for (const id of [ready, running, waiting]) t.strictSame(await act('DELETE', id), [409, 'CONFLICT']);
  for (const id of ['999999', '01', 'abc', '9'.repeat(40)]) {
    t.strictSame(await act('POST', `${id}/retry`), [404, 'NOT_FOUND'], id);
    t.strictSame(await act('DELETE', id), [404, 'NOT_FOUND'], id);
  }
  const user = await createUserApi(controlPlane, 'user@test.example', 'user');
  t.match(await user.call('DELETE', `/v1/admin/jobs/${gone}`), { status: 403 });

  t.strictSame(await act('DELETE', gone), [200, null]);
  t.strictSame(await act('DELETE', gone), [404, 'NOT_FOUND']);
  server.toRecipient = () => null;
  deliver();
  t.strictSame(await act('POST', `${lost}/retry`), [200, 'ready']);
  t.strictSame(await act('POST', `${waiting}/retry`), [200, 'ready']);
  await until('the mails', () => server.mails.length === 3);
  t.strictSame(
    server.mails.flatMap(({ to }) => to).sort(),
    ['busy', 'lost', 'slow'].map((name) => `${name}@mail.example`),
  );
  await until('the queue to contain only the other job', async () => (await states()).join() === 'ready');

  const acts = await db('audit_log').whereLike('action', 'job.%').orderBy('at').select();
  t.match(acts, [
    { action: 'job.deleted', subject: gone, user_id: api.userId, account_id: null, details: { type: 'mail.send' } },
    { action: 'job.retried', subject: lost, user_id: api.userId, details: { type: 'mail.send' } },
    { action: 'job.retried', subject: waiting },
  ]);
  t.equal(acts.length, 3, 'a refused request is not an act');
});

t.test('jobs are counted at most every five seconds, and not at all during a database outage', async (t) => {
  const { db } = await createTestDatabase(t);
  const clock = new FakeClock();
  const counts = new JobCounts(db, clock);
  const insert = () => insertJob(db, { type: 'test.none', payload: {}, maxAttempts: 1 });
  await insert();
  t.match(await counts.read(), { ready: 1, running: 0, waiting: 0, dead: 0 });
  await insert();
  clock.advance(4_999);
  t.match(await counts.read(), { ready: 1 });
  clock.advance(1);
  t.match(await counts.read(), { ready: 2 });
  await db.raw('ALTER SCHEMA vantage_jobs RENAME TO away');
  clock.advance(5_000);
  t.equal(await counts.read(), null);
});
