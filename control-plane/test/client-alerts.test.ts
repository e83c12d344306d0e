import t from 'tap';
import { runInProcess } from './_support/command-in-process.js';
import { enrollPeer } from './_support/peer-agent.js';
import { startReceiver } from './_support/receiver.js';
import { startStack } from './_support/stack.js';

const { api } = await startStack(t);
const env = { VANTAGE_URL: api.url, VANTAGE_TOKEN: api.token };
const vantage = (...words: string[]) => runInProcess('vantage', words, { env });

t.test('a channel is created in one line, says which policies use it, is tested, and is deleted', async (t) => {
  const receiver = await startReceiver(t);
  const added = await vantage('channels', 'add', 'webhook', receiver.url, '--name', 'Hook');
  t.match(added, {
    code: 0,
    stdout: /^ch_\w+\n$/,
    stderr: /^used by: .+\ntest it: `\S*vantage channels test Hook`\n$/,
  });
  t.match(await vantage('channels', 'test', 'hook'), { code: 0, stdout: /^accepted in \d+ ms\n$/ });
  receiver.reply = () => ({ status: 410, body: 'gone for good' });
  t.match(await vantage('channels', 'test', 'Hook'), { code: 1, stdout: 'not accepted: HTTP 410: gone for good\n' });
  t.match((await vantage('channels')).stdout, /^NAME +TYPE +STATE +USED BY .*\nHook +webhook +failing /);
  const unused = await vantage(
    'channels',
    'add',
    'webhook',
    receiver.url,
    '--name',
    'Spare',
    '--use',
    'none',
    '--json',
  );
  t.match(JSON.parse(unused.stdout), { name: 'Spare', used_by: [] });
  const says = /^no alert goes there, since no policy uses it: `\S*vantage channels use Spare`\n$/;
  t.match(await vantage('channels', 'test', 'Spare'), { stderr: says });
  t.match(await vantage('channels', 'use', 'Spare'), {
    code: 0,
    stdout: 'alerts of the policy "Default" go to Spare\n',
  });
  t.match((await vantage('channels', 'test', 'Spare')).stderr, '');
  t.match((await vantage('channels', '--json')).stdout, /"Spare"[^]*"used_by": \[\s*\{[^]*"Default"/);
  const wechat = ['wx0123456789abcdef', '0123456789abcdef', 'ngqIpbwh8bUfcSsECmog', 'oGZUI0egBJY1', 'first={{title}}'];
  t.match(await vantage('channels', 'add', 'wechat', ...wechat), { code: 0, stderr: /^used by: / }, 'no code');
  t.match(await vantage('channels', 'add', 'email', 'ops@example.com'), {
    stderr: /^ops@example\.com got a code: `\S*vantage channels verify ops@example\.com CODE`\nused by: /,
  });
  t.match(await vantage('channels', 'verify', 'ops@example.com', '00000000'), { code: 2, stderr: /ALERT_|VALIDATION/ });
  t.match(await vantage('channels', 'add', 'webhook', 'ftp://example.com/'), { code: 2, stderr: /\bURL: / });
  t.match(await vantage('channels', 'add', 'webhook', receiver.url, '--name', 'Hook'), { code: 2, stderr: /--name: / });
  t.match(await vantage('channels', 'delete', 'Hook', '--yes'), { code: 0, stdout: 'Hook is deleted\n' });
  t.match(await vantage('channels', 'test', 'Hook'), { code: 2, stderr: /no channel is named "Hook"/ });
});

t.test('a monitor is silenced for a duration, until the silence is ended', async (t) => {
  await enrollPeer(api);
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9' };
  await api.call('POST', '/v1/monitors', { body });
  t.match(await vantage('silences'), { code: 0, stdout: 'no silences\n' });
  t.match(await vantage('silence', 'shop', '2h', '--reason', 'new switches'), {
    code: 0,
    stdout: /^Shop is silenced until .* UTC\n$/,
    stderr: /^end it: `\S*vantage silences end asl_/,
  });
  t.match(
    (await vantage('silences')).stdout,
    /\nShop +active .* 1 h 59 min .* new switches\n$|\nShop +active .* 2 h .* new switches\n$/,
  );
  t.match(await vantage('silence', 'Shop', 'soon'), { code: 2, stderr: /must be a duration such as/ });
  t.match(await vantage('silences', 'end', 'Shop'), { code: 0, stdout: 'the silence is ended\n' });
  t.match(await vantage('silences', 'end', 'Shop'), { code: 2, stderr: /Shop has no silence of its own/ });
});
