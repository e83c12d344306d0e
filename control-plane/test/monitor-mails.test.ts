import t from 'tap';
import { commandLine } from '../src/actor.js';
import { CheckingNode } from './_support/checking-node.js';
import { readMail, startSmtpServer } from './_support/smtp-server.js';
import { startStack } from './_support/stack.js';
import { until } from './_support/until.js';

t.test(
  'the owner is mailed of every event of checked monitors twice, and never where notify_owner is false or a test key made it',
  async (t) => {
    const server = await startSmtpServer(t);
    const { api, controlPlane, database } = await startStack(t, { VANTAGE_SMTP_URL: `smtp://${server.host}` });
    const { db } = database;
    await db('users').update({ email_verified_at: new Date() });
    const { key } = await controlPlane.services.tokens.apiKeys.create(
      { userId: api.userId, scopes: null },
      { name: 'test', type: 'test', scopes: ['write', 'read'] },
      commandLine,
    );
    const node = await CheckingNode.join(t, api);
    const make = async (name: string, fields: object, as = api.token) => {
      const body = { name, type: 'tcp', target: '127.0.0.1:9', ...fields };
      const { id } = (await api.call('POST', '/v1/monitors', { body, as })).body.data;
      await node.waitForAssignment(id);
      return id as string;
    };
    const silent = [await make('Silent', { notify_owner: false }), await make('Tried', {}, key)];
    const ids = [...silent, await make('Shop', {})];
    const subjects: string[] = [];
    for (const outcome of ['failed', 'degraded'] as const) {
      for (const says of [outcome, 'ok'] as const) {
        for (const id of ids) node.check(id, says);
        subjects.push(`${says === 'ok' ? 'Up again' : outcome === 'failed' ? 'Down' : 'Degraded'}: Shop`);
        await until('news of all', async () => (await db('outbox')).length === ids.length * subjects.length);
        // what is mailed is queued with the news, and a job that is done is gone
        await until('mails', async () => (await db('vantage_jobs.jobs')).length === 0);
        t.same(
          server.mails.flatMap(({ to }) => to),
          subjects.map(() => 'admin@test.example'),
        );
      }
    }
    t.same(
      (await Promise.all(server.mails.map(readMail))).map(({ subject }) => subject),
      subjects,
    );
    t.match((await readMail(server.mails[0] as never)).text, /Shop \(127\.0\.0\.1:9\)[^]*nobody listens there/);
  },
);
