import { readdirSync } from 'node:fs';
import { until } from '@vantage/shared/_support/until.js';
import t from 'tap';
import { CheckingNode } from './_support/checking-node.js';
import { runInProcess } from './_support/command-in-process.js';
import { enrollPeer, PeerAgent } from './_support/peer-agent.js';
import { startStack } from './_support/stack.js';

t.test('a login serves later commands: a probe, its results again, and monitors by their names', async (t) => {
  const { api } = await startStack(t);
  await PeerAgent.connect(
    t,
    api.url,
    await enrollPeer(api, { declared: { country: 'DE', city: 'Berlin', asn: 3320 } }),
  );
  const env = { XDG_CONFIG_HOME: t.testdir() };
  const vantage = (args: string, input = '') => runInProcess('vantage', args.split(' '), { env, input });

  t.match(await vantage(`login --url ${api.url}`, 'vt_wrong\n'), { code: 2, stdout: '', stderr: /AUTH_/ });
  t.strictSame(readdirSync(env.XDG_CONFIG_HOME), [], 'a token that is refused is not kept');
  t.match(await vantage(`login --url ${api.url}`, `${api.token}\n`), { code: 0, stdout: '', stderr: /^logged in at / });

  const probe = await vantage('tcp 127.0.0.1:80');
  const id = /again: \S*vantage task (pt_\w+)\n$/.exec(probe.stdout)?.[1];
  const again = await vantage(`task ${id}`);
  t.match(again, { code: 0, stdout: /^TCP 127\.0\.0\.1:80, 20[-0-9]+ [:0-9]+ UTC, completed\nFrom / });

  const shared = await vantage('tcp 127.0.0.1 80 from Germany --share');
  const page = /^page: (\S+)$/m.exec(shared.stdout)?.[1] ?? '';
  t.equal((await fetch(page)).status, 200, 'the printed page is open to everyone');
  t.match(await vantage(`task ${id} --share`), { code: 0, stdout: /\npage: \S+\n$/ });
  t.notMatch((await vantage(`task ${id} --no-share`)).stdout, 'page: ');

  const added = await vantage('monitors add tcp 127.0.0.1:80 --name Shop --interval 1m');
  t.match(added, { code: 0, stdout: /^m_\w+\n$/, stderr: '' });
  t.match((await vantage('monitors')).stdout, /^NAME .*\nShop +unknown +tcp +- +1 min +m_\w+ +127\.0\.0\.1:80/);
  t.match((await vantage('monitors show shop')).stdout, /^Shop: unknown for (?:.*\n)+next check +\d/);
  t.match(
    (await vantage('monitors show Shop --all')).stdout,
    /\n\nid +m_\w+\n(?:.*\n)*name +Shop\n(?:.*\n)*no events\n$/,
  );
  t.match((await vantage('monitors pause Shop')).stdout, /^status +paused$/m);
  t.match((await vantage(`monitors resume ${added.stdout.trim()}`)).stdout, /^status +active$/m);
  const words = ['monitors', 'add', 'heartbeat', '--name', 'Backup', '--cron', '30 2 * * *', '--grace', '600'];
  const job = await runInProcess('vantage', words, { env });
  t.match(job, { code: 0, stderr: '' });
  const [beat, address = ''] = job.stdout.trimEnd().split('\n');
  t.equal((await fetch(address)).status, 200, 'the printed address is where the job checks in');
  const { body } = await api.call('GET', `/v1/monitors/${beat}`);
  t.match(body.data, { type: 'heartbeat', config: { mode: 'cron', cron_expr: '30 2 * * *', grace_s: 600 } });
  for (const [mistake, message] of [
    ['heartbeat', /a heartbeat needs a --name/],
    ['heartbeat 127.0.0.1 --name X', /a heartbeat has no target: what is "127\.0\.0\.1"\?/],
    ['tcp', /a monitor of type tcp needs a target/],
    ['tcp 127.0.0.1:80 --grace 5', /--grace is for heartbeat, not for tcp/],
    ['tcp 127.0.0.1:80 --interval 7', /--interval: must be one of 10s, 30s, 1m, /],
    ['keyword http://127.0.0.1/', /needs --contains or --absent/],
    ['json http://127.0.0.1/ --path $.a', /needs --path and --equals/],
  ] as const)
    t.match(await vantage(`monitors add ${mistake}`), { code: 2, stdout: '', stderr: message });
  t.match(await vantage('monitors show Sho'), {
    code: 2,
    stderr: /^vantage: no monitor is named "Sho"; similar names:\n {2}Shop \(m_/,
  });

  t.match(await vantage('logout'), { code: 0, stderr: /^logged out/ });
  t.match(await vantage(`monitors --url ${api.url}`), { code: 2, stderr: /`\S*vantage login` takes a token/ });
});

t.test('monitors test shows the check of each node, and fails if one of them failed', async (t) => {
  const { api } = await startStack(t);
  const nodes = [await CheckingNode.join(t, api, { asn: 1 }), await CheckingNode.join(t, api, { asn: 2 })] as const;
  const names = await Promise.all(
    nodes.map(async ({ nodeId }) => (await api.call('GET', `/v1/nodes/${nodeId}`)).body.data.name),
  );
  const body = { name: 'Shop', type: 'tcp', target: '127.0.0.1:9', node_count: 2 };
  const { id } = (await api.call('POST', '/v1/monitors', { body })).body.data;
  for (const node of nodes) await node.waitForAssignment(id);
  const env = { VANTAGE_URL: api.url, VANTAGE_TOKEN: api.token };
  /** Runs the command while each node answers its question with this outcome. */
  const test = async (...outcomes: readonly ('ok' | 'failed')[]) => {
    const questionsOf = ({ peer }: CheckingNode) => peer.frames.flatMap(({ checkNow }) => (checkNow ? [checkNow] : []));
    const before = nodes.map((node) => questionsOf(node).length);
    const running = runInProcess('vantage', ['monitors', 'test', 'Shop'], { env });
    await until('the questions', () => nodes.every((node, i) => questionsOf(node).length > (before[i] ?? 0)));
    for (const [i, node] of nodes.entries()) {
      const { request = '' } = questionsOf(node).at(-1) ?? {};
      node.check(id, { outcome: outcomes[i] ?? 'ok', request, state: null });
    }
    return running;
  };
  const good = await test('ok', 'ok');
  t.match(good, { code: 0, stderr: '' });
  const [head, ...rows] = good.stdout.trimEnd().split('\n');
  t.match(head, /^NODE +RESULT +TIME +ERROR$/);
  const rowsOf = names.map((name, i) => [`${name}, AS${i + 1}`, 'ok', '13 ms']);
  t.strictSame(rows.map((row) => row.split(/ {2,}/)).toSorted(), rowsOf.toSorted());
  t.match(await test('ok', 'failed'), { code: 1, stdout: new RegExp(`^${names[1]}, AS2 +failed`, 'm') });
});

t.test('a monitor is edited, its log is read, and it is deleted with --yes', async (t) => {
  const { api } = await startStack(t);
  await CheckingNode.join(t, api);
  const env = { VANTAGE_URL: api.url, VANTAGE_TOKEN: api.token };
  const vantage = (...words: string[]) => runInProcess('vantage', words, { env });
  const words = [
    'add',
    'keyword',
    'http://127.0.0.1/',
    '--name',
    'Page',
    '--contains',
    'In stock',
    '--set',
    'method=POST',
  ];
  const id = (await vantage('monitors', ...words)).stdout.trim();
  const read = async () => (await api.call('GET', `/v1/monitors/${id}`)).body.data;
  t.match(await vantage('monitors', 'edit', 'page', '--interval', '5m', '--absent', 'Error'), {
    code: 0,
    stdout: /\nPage +unknown +keyword +- +5 min /,
  });
  t.match(await read(), { interval_s: 300, config: { keyword: 'Error', mode: 'absent', method: 'POST' } });
  t.match(await vantage('monitors', 'edit', 'Page', '--set', 'method=GO'), {
    code: 2,
    stderr: /--set method: must be/,
  });
  t.match(await vantage('monitors', 'edit', 'Page'), { code: 2, stderr: /nothing to change/ });
  t.match(await vantage('monitors', 'events'), { code: 0, stdout: 'no events\n' });
  t.match(await vantage('monitors', 'pings', 'Page'), { code: 2, stderr: /VALIDATION_FAILED/ });

  const job = await vantage('monitors', 'add', 'heartbeat', '--name', 'Backup', '--interval', '1d', '--json');
  await fetch(`${JSON.parse(job.stdout).heartbeat.url}/3`, { method: 'POST', body: 'disk full' });
  t.match(await vantage('monitors', 'pings', 'Backup'), { code: 0, stdout: /\n20.* exit 3 .*disk full\n$/ });
  await until('the event', async () => (await vantage('monitors', 'events', 'Backup')).stdout !== 'no events\n');
  t.match(await vantage('monitors', 'events', 'Backup', '--last', '1h'), {
    stdout: /^STATE .*\ndown .* lasts +it ended with exit code 3\n$/,
  });
  t.match((await vantage('monitors')).stdout, /REASON\nBackup .*it ended with exit code 3\n/);
  t.match(
    (await vantage('monitors', 'show', 'Backup')).stdout,
    /^Backup: down for \d+ s, since .*\nreason +it ended with exit code 3\n/,
  );

  t.match(await vantage('monitors', 'delete', 'Page'), { code: 2, stderr: /add --yes/ });
  t.match(await vantage('monitors', 'delete', 'Page', '--yes'), { code: 0, stdout: 'Page is deleted\n' });
  t.match(await api.call('GET', `/v1/monitors/${id}`), { status: 404 });
});
