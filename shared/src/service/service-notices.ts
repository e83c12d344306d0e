import { execFile } from 'node:child_process';
import type { Clock } from '../clock.js';

//   started --ready()--> serving --stopping()--> stopping
//                        ^     |
//                        +-----+  WATCHDOG=1 and STATUS=, by a timer of the event loop: a blocked loop sends none

/** Beats in each period of the watchdog: one that is late is no reason for a restart. */
const BEATS_PER_PERIOD = 3;
/** A service manager that takes nothing must not hold the messages after it, milliseconds. */
const SEND_LIMIT_MS = 20_000;

/** Address of the service manager that started this process. */
export interface ServiceAddress {
  /** Socket as NOTIFY_SOCKET names it. */
  readonly socket: string;
  /** Time without a sign of life after which this process is restarted, milliseconds; null if not watched. */
  readonly watchdogMs: number | null;
  /** Folders of programs, as PATH. */
  readonly path: string;
}

/**
 * Reads where systemd wants to hear of this process (sd_notify(3), sd_watchdog_enabled(3)), and removes it from the environment:
 * child processes must not speak for this one. Null if no service manager waits.
 */
export function takeServiceAddress(env: Record<string, string | undefined>, pid: number): ServiceAddress | null {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: period, WATCHDOG_PID: watched, PATH: path } = env;
  for (const name of ['NOTIFY_SOCKET', 'WATCHDOG_USEC', 'WATCHDOG_PID']) delete env[name];
  if (socket === undefined || socket === '') return null;
  const microseconds = watched === undefined || watched === String(pid) ? Number(period) : Number.NaN;
  return { socket, watchdogMs: microseconds > 0 ? microseconds / 1_000 : null, path: path ?? '/usr/bin:/bin' };
}

interface ServiceNoticesOptions {
  /** Null if nothing is sent. */
  readonly address: ServiceAddress | null;
  readonly clock: Clock;
  /** One line for people about what this process does at present. */
  readonly status: () => string;
  /** Called once, for the first message that cannot be sent. */
  readonly onFault: (error: Error) => void;
}

/** Messages to systemd, in order, by its own program `systemd-notify`: Node.js has no datagram sockets of Unix (decision 0058). */
export class ServiceNotices {
  readonly #options: ServiceNoticesOptions;
  #sending: Promise<void> = Promise.resolve();
  #cancelBeat: () => void = () => undefined;
  #isFaulty = false;

  constructor(options: ServiceNoticesOptions) {
    this.#options = options;
  }

  /** Reports that this process serves, and begins to beat. */
  ready(): void {
    void this.#send('READY=1', this.#status());
    this.#beatLater();
  }

  /** Reports that this process ends; no beat follows. Resolves when it was sent. */
  stopping(): Promise<void> {
    this.#cancelBeat();
    return this.#send('STOPPING=1');
  }

  #status(): string {
    return `STATUS=${this.#options.status()}`;
  }

  #beatLater(): void {
    const { address, clock } = this.#options;
    if (!address?.watchdogMs) return;
    const beat = () => {
      void this.#send('WATCHDOG=1', this.#status());
      this.#beatLater();
    };
    this.#cancelBeat = clock.after(address.watchdogMs / BEATS_PER_PERIOD, beat, { unref: true });
  }

  #send(...assignments: readonly string[]): Promise<void> {
    const { address, onFault } = this.#options;
    if (address === null) return this.#sending;
    this.#sending = this.#sending.then(async () => {
      const error = await runNotify(address, assignments);
      if (error === null || this.#isFaulty) return;
      this.#isFaulty = true;
      onFault(error);
    });
    return this.#sending;
  }
}

function runNotify({ socket, path }: ServiceAddress, assignments: readonly string[]): Promise<Error | null> {
  return new Promise((resolve) => {
    const options = { env: { PATH: path, NOTIFY_SOCKET: socket }, timeout: SEND_LIMIT_MS };
    execFile('systemd-notify', assignments, options, (error) => resolve(error));
  });
}
