import type { ListenAddress } from './setting-values.js';

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
};

/** A server can't listen where its configuration says; the message names the setting. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
  /** Of the system: EADDRINUSE, EACCES, … */
  readonly code: string;

  constructor(address: ListenAddress, setting: string, cause: unknown) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    const place = `${address.host?.includes(':') ? `[${address.host}]` : (address.host ?? '')}:${address.port}`;
    super(`cannot listen on ${place}: ${reasons[code] ?? code}; change ${setting}`, { cause });
    this.code = code;
  }
}

/** Waits until a server listens; `setting` names what said where. @throws ListenError when it can't */
export async function listening<T>(start: Promise<T>, address: ListenAddress, setting: string): Promise<T> {
  try {
    return await start;
  } catch (cause) {
    throw new ListenError(address, setting, cause);
  }
}
