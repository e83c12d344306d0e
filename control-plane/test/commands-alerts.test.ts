import t from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { startReceiver } from './_support/receiver.js';
import { SECRET_KEY, startStack } from './_support/stack.js';
import { temporaryDirectory } from './_support/temporary-directory.js';

t.test('alerts test sends a message to a channel of any account, and status shows what fails', async (t) => {
  const receiver = await startReceiver(t);
  const { api, database } = await startStack(t);
  const env = {
    VANTAGE_DATABASE_URL: database.url,
    VANTAGE_DATA_DIR: temporaryDirectory(t),
    VANTAGE_SECRET_KEY: SECRET_KEY,
    VANTAGE_ALLOW_TARGETS: '127.0.0.0/8',
  };
  const run = (line: string) => runInProcess('vantage-control', line.split(' '), { env });
  const config = { url: `${receiver.url}/geheim-path` };
  const created = await api.call('POST', '/v1/alert-channels', { body: { name: 'Hook', type: 'webhook', config } });
  const { id } = created.body.data;
  t.match(await run('alerts status'), {
    code: 0,
    stdout: /^no alert is open\nno messages wait.*\nno channel fails\n$/,
  });
  t.match(await run(`alerts test --channel ${id}`), { code: 0, stdout: new RegExp(`^${id} accepted the message`) });
  t.match(receiver.requests, [{ path: '/geheim-path' }]);
  receiver.reply = () => ({ status: 410, body: 'gone for good' });
  const failed = await run(`alerts test --channel ${id}`);
  t.match(failed, { code: 1, stderr: new RegExp(`^vantage-control: ${id} did not accept the message: HTTP 410\n$`) });
  const asJson = await run(`alerts test --channel ${id} --json`);
  t.match(JSON.parse(asJson.stdout), { ok: false, attempts: [{ status_code: 410, response: 'gone for good' }] });
  const dry = await run(`alerts test --channel ${id} --dry-run`);
  t.match(dry, { code: 0, stdout: /^POST \*{8}\n/ });
  t.notMatch(dry.stdout, /geheim/);
  t.equal(receiver.requests.length, 3);
  const status = await run('alerts status --json');
  t.match(JSON.parse(status.stdout), {
    pending: {},
    dead_24h: { webhook: 2 },
    failing_channels: [
      { id, type: 'webhook', name: 'Hook', owner_id: api.userId, since: /^20/, last_error: 'HTTP 410' },
    ],
  });
  t.match(await run('alerts status'), { stdout: new RegExp(`webhook +0 +2 *\n.*${id}`, 's') });
  t.match(await run('alerts test --channel ch_none'), { code: 1, stderr: /ALERT_CHANNEL_NOT_FOUND/ });
  const acts = await database.db('audit_log').where({ action: 'alert_channel.tested', subject: id });
  t.equal(acts.length, 3);
});
