import t from 'tap';
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
  t.match(await vantage('monitors'), { code: 3, stdout: '' }, 'a token that is refused is not kept');
  t.match(await vantage(`login --url ${api.url}`, `${api.token}\n`), { code: 0, stdout: '', stderr: /^logged in at / });

  const probe = await vantage('tcp 127.0.0.1:80');
  const id = /again: vantage task (pt_\w+)\n$/.exec(probe.stdout)?.[1];
  const again = await vantage(`task ${id}`);
  t.match(again, { code: 0, stdout: /^TCP 127\.0\.0\.1:80, 20[-0-9]+ [:0-9]+ UTC, completed\nFrom / });

  const added = await vantage('monitors add tcp 127.0.0.1:80 --name Shop --interval 60');
  t.match(added, { code: 0, stdout: /^m_\w+\n$/, stderr: '' });
  t.match((await vantage('monitors')).stdout, /^NAME .*\nShop +unknown +tcp +- +60 s +m_\w+ +127\.0\.0\.1:80\n$/);
  t.match((await vantage('monitors show Shop')).stdout, /^id +m_\w+\n(?:.*\n)*name +Shop\n/);
  t.match((await vantage('monitors pause Shop')).stdout, /^status +paused$/m);
  t.match((await vantage(`monitors resume ${added.stdout.trim()}`)).stdout, /^status +active$/m);
  t.match(await vantage('monitors show Nothing'), { code: 2, stderr: /MONITOR_NOT_FOUND/ });

  t.match(await vantage('logout'), { code: 0, stderr: /^logged out/ });
  t.match(await vantage(`monitors --url ${api.url}`), { code: 2, stderr: /`vantage login` takes a token/ });
});
