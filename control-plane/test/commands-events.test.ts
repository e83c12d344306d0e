import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { pino } from 'pino';
import t from 'tap';
import { Consumers, defineConsumer, publish } from '../src/events/index.js';
import { runInProcess } from './_support/command-in-process.js';
import { createTestDatabase } from './_support/database.js';
import { SECRET_KEY } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('an operator sees why events were set aside, has them handled again, and drops them', async (t) => {
  const { db, url } = await createTestDatabase(t);
  const env = { VANTAGE_DATABASE_URL: url, VANTAGE_DATA_DIR: temporaryDirectory(t), VANTAGE_SECRET_KEY: SECRET_KEY };
  const run = (line: string) => runInProcess('vantage-control', ['events', ...line.split(' ')], { env });
  t.match(await run('status'), { code: 0, stdout: /^no event is set aside\n$/ });
  const handled: string[] = [];
  let isBroken = true;
  const consumer = defineConsumer({
    name: 'test.one',
    kinds: ['monitor.paused'],
    async handle({ id }) {
      if (isBroken) throw new Error('no such column');
      handled.push(id);
    },
  });
  const consumers = new Consumers({
    db,
    consumers: [consumer],
    clock: new FakeClock(),
    log: pino({ level: 'silent' }),
  });
  await consumers.tidy();
  for (const subject of ['m_1', 'm_2', 'm_3']) {
    const payload = { monitor: { id: subject, name: '', type: 'tcp', target: '' } };
    await publish(db, { kind: 'monitor.paused', ownerId: 'u_1', isTest: false, subject, payload });
  }
  for (let attempt = 1; attempt <= 8; attempt += 1) {
    await db('outbox_marks').update({ due_at: db.raw("now() - interval '1 s'") });
    await consumers.run();
  }
  const [one, two, three] = await db('outbox').orderBy('subject').pluck('event_id');
  const shown = JSON.parse((await run('status --json')).stdout);
  t.match(shown.consumers, [{ consumer: 'test.one', pending: 0, dead: 3, lag_seconds: 0 }]);
  t.equal(shown.set_aside.length, 3);
  const about = { id: one, consumer: 'test.one', kind: 'monitor.paused', subject: 'm_1', attempts: 8 };
  t.match(
    shown.set_aside.find(({ id }: { id: string }) => id === one),
    { ...about, last_error: 'no such column', set_aside_at: /Z$/ },
  );
  t.match(await run('status'), { stdout: new RegExp(`test.one +0 +3 .*${one} .*no such column`, 's') });

  t.match(await run('retry'), { code: 2, stderr: /name an event, or use --all/ });
  t.match(await run(`retry ${one} --consumer test.other`), { code: 1, stderr: /NOT_FOUND/ });
  t.match(await run(`drop ${two}`), { code: 0, stdout: new RegExp(`${two} +test.one`) });
  isBroken = false;
  t.match(JSON.parse((await run(`retry ${one} --json`)).stdout), [{ id: one, consumer: 'test.one' }]);
  await consumers.run();
  t.same(handled, [one], 'the others stay set aside');
  t.match(await run('retry --all'), { code: 0, stdout: new RegExp(three) });
  await consumers.run();
  t.same(handled, [one, three], 'what was dropped is not handled');
  t.match(await run('status'), { stdout: /no event is set aside\n$/ });
  t.same(await db('audit_log').whereLike('action', 'event.%').orderBy('id').select('action', 'subject'), [
    { action: 'event.dropped', subject: two },
    { action: 'event.retried', subject: one },
    { action: 'event.retried', subject: three },
  ]);
});
