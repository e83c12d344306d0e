import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';

/** systemd-timesyncd makes it when the clock is synchronised (systemd-timesyncd.service(8)). */
const TIMESYNC_MARK = '/run/systemd/timesync/synchronized';
const PATIENCE_MS = 2000;

/**
 * True if the system says that its clock is synchronised; null where it does not say. Needs no privileges. `mark`:
 * the file whose existence says so.
 */
export async function readKernelClock(mark = TIMESYNC_MARK): Promise<boolean | null> {
  const isMarked = await access(mark).then(
    () => true,
    () => false,
  );
  return isMarked || askTimedatectl();
}

/** timedatectl reads the kernel's STA_UNSYNC (adjtimex(2)), whichever service keeps the time. */
function askTimedatectl(): Promise<boolean | null> {
  return new Promise((resolve) => {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    execFile('timedatectl', args, { timeout: PATIENCE_MS, killSignal: 'SIGKILL' }, (error, stdout) => {
      const word = error === null ? stdout.trim() : '';
      resolve(word === 'yes' ? true : word === 'no' ? false : null);
    });
  });
}
