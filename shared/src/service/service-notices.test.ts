import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { missing } from '../_support/missing.js';
import { startServiceManager } from '../_support/service-manager.js';
import { takeServiceAddress } from './service-notices.js';

const SERVICE = fileURLToPath(new URL('_support/blocking-service.js', import.meta.url));
const options = { skip: missing('systemd-notify', 'python3') };
const WATCHDOG_MS = 600;

function startService(t: Test, env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [SERVICE], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const beats = (received: readonly string[]) => received.filter((text) => text === 'WATCHDOG=1').length;

t.test(
  'a service reports ready, beats, sends no beat while its event loop is blocked, and reports its end',
  options,
  async (t) => {
    const manager = await startServiceManager(t, WATCHDOG_MS);
    const service = startService(t, manager.env);
    await manager.receives('WATCHDOG=1');
    t.strictSame(manager.received.slice(0, 2), ['READY=1', 'STATUS=inherited: nothing']);
    service.stdin.write(`${WATCHDOG_MS * 3}`);
    await manager.receives('STATUS=awake');
    const { received } = manager;
    const blocked = received.slice(received.indexOf('STATUS=blocked'), received.indexOf('STATUS=awake'));
    t.ok(beats(blocked) <= 1, 'at most the one that was on its way');
    service.stdin.end();
    await manager.receives('STOPPING=1');
    t.equal(manager.received.at(-1), 'STOPPING=1');
  },
);

t.test('without systemd-notify a service runs and reports why once', async (t) => {
  const service = startService(t, { PATH: '/nowhere', NOTIFY_SOCKET: '/nowhere', WATCHDOG_USEC: '30000' });
  const [said] = await once(service.stderr, 'data');
  t.match(String(said), /systemd-notify/);
  service.stdin.end();
  t.strictSame(await once(service, 'close'), [0, null]);
});

t.test('the address is taken out of the environment, and a watchdog for another process is not answered', async (t) => {
  const env = { NOTIFY_SOCKET: '/run/x', WATCHDOG_USEC: '60000000', WATCHDOG_PID: '7', PATH: '/bin' };
  t.match(takeServiceAddress({ ...env }, 7), { socket: '/run/x', watchdogMs: 60_000 });
  t.match(takeServiceAddress({ ...env }, 8), { socket: '/run/x', watchdogMs: null });
  takeServiceAddress(env, 7);
  t.strictSame(env, { PATH: '/bin' });
  t.equal(takeServiceAddress({ WATCHDOG_USEC: '1' }, 7), null);
});
