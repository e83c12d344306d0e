import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import type { DoctorCheck } from './terminal/check-lines.js';

/** systemd-timesyncd makes it when the clock is synchronised (systemd-timesyncd.service(8)). */
const TIMESYNC_MARK = '/run/systemd/timesync/synchronized';
const PATIENCE_MS = 2000;

/**
 * True if the system says that its clock is synchronised; null where it does not say. Needs no privileges. `mark`:
 * the file whose existence says so. `patienceMs`: time after which a silent system counts as one that does not say.
 */
export async function readKernelClock(mark = TIMESYNC_MARK, patienceMs = PATIENCE_MS): Promise<boolean | null> {
  const isMarked = await access(mark).then(
    () => true,
    () => false,
  );
  return isMarked || askTimedatectl(patienceMs);
}

/** timedatectl reads the kernel's STA_UNSYNC (adjtimex(2)), whichever service keeps the time. */
function askTimedatectl(patienceMs: number): Promise<boolean | null> {
  return new Promise((resolve) => {
    const args = ['show', '--property=NTPSynchronized', '--value'];
    execFile('timedatectl', args, { timeout: patienceMs, killSignal: 'SIGKILL' }, (error, stdout) => {
      const word = error === null ? stdout.trim() : '';
      resolve(word === 'yes' ? true : word === 'no' ? false : null);
    });
  });
}

/** Judges whether the system synchronises its clock; null, when the system does not say, is not a warning. */
export function judgeSynchronisation(isSynchronised: boolean | null): DoctorCheck {
  const name = 'time synchronisation';
  if (isSynchronised === true) return { name, status: 'ok', detail: 'the system clock is synchronised', remedy: null };
  if (isSynchronised === null) return { name, status: 'ok', detail: 'this system does not report it', remedy: null };
  return {
    name,
    status: 'warning',
    detail: 'the system clock is not synchronised',
    remedy: 'turn on time synchronisation: timedatectl set-ntp true',
  };
}
