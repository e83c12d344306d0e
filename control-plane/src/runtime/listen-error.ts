import type { ListenAddress } from '../config/setting-values.js';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program uses this port',
  EACCES: 'this user does not have the permission',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'no such host',
};

/** A server cannot listen on its configured address; the message names the setting. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** Error code of the operating system: EADDRINUSE, EACCES, … */
  readonly code: string;

  constructor(address: ListenAddress, setting: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const place = `${address.host?.includes(':') ? `[${address.host}]` : (address.host ?? '')}:${address.port}`;
    super(`cannot listen on ${place}: ${reasons[code] ?? code}; change ${setting}`, { cause });
    this.code = code;
  }
}

/** Waits until a server listens; `setting` names the setting of the address. @throws ListenError if it cannot */
export async function listening<T>(start: Promise<T>, address: ListenAddress, setting: string): Promise<T> {
  try {
    return await start;
  } catch (cause) {
    throw new ListenError(address, setting, cause);
  }
}
