import { execFileSync } from 'node:child_process';
import { demand } from '../../_support/missing.js';
import { systemClock } from '../../clock.js';
import { ServiceNotices, takeServiceAddress } from '../service-notices.js';

// A service that blocks its event loop for as long as standard input says, in milliseconds, and ends with that input.

const address = takeServiceAddress(process.env, process.pid);

/** Sends a status at once, through the socket of the beats, so that their order shows which came in between. */
function mark(status: string): void {
  if (address === null) return;
  demand('systemd-notify');
  const env = { PATH: address.path, NOTIFY_SOCKET: address.socket };
  execFileSync('systemd-notify', [`STATUS=${status}`], { env });
}

const notices = new ServiceNotices({
  address,
  clock: systemClock,
  status: () => `inherited: ${process.env['NOTIFY_SOCKET'] ?? 'nothing'}`,
  onFault: (error) => process.stderr.write(`${error.message}\n`),
});
notices.ready();
process.stdin.on('data', (text) => {
  mark('blocked');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(text));
  mark('awake');
});
process.stdin.once('end', () => void notices.stopping());
