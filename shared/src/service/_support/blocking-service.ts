import { systemClock } from '../../clock.js';
import { ServiceNotices, takeServiceAddress } from '../service-notices.js';

// A service that blocks its event loop for as long as it is told on standard input, in milliseconds, and ends with that input.

const notices = new ServiceNotices({
  address: takeServiceAddress(process.env, process.pid),
  clock: systemClock,
  status: () => `inherited: ${process.env['NOTIFY_SOCKET'] ?? 'nothing'}`,
  onFault: (error) => process.stderr.write(`${error.message}\n`),
});
notices.ready();
process.stdin.on('data', (text) => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(text));
  process.stdout.write('awake\n');
});
process.stdin.once('end', () => void notices.stopping());
