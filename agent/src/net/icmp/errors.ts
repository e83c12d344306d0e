import { constants } from 'node:os';

/** Why raw sockets cannot be had: no permission, the native module does not load, or the system lacks the protocol. */
export type RawSocketFault = 'not_permitted' | 'not_loadable' | 'not_supported';

/** Thrown where a raw socket cannot be opened. */
export class RawSocketError extends Error {
  override readonly name = 'RawSocketError';

  constructor(
    readonly fault: RawSocketFault,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
  }
}

/** The kernel refused to send a packet. Carries `code` and `errno` as the errors of Node's own sockets do. */
export class SendError extends Error {
  override readonly name = 'SendError';
  /** Negative, as libuv counts; absent where the code is `UNKNOWN`. */
  readonly errno: number | undefined;

  constructor(
    readonly code: SystemErrorCode,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.errno = code === 'UNKNOWN' ? undefined : -constants.errno[code];
  }
}

/** The errors a raw socket answers with in practice. */
export type SystemErrorCode =
  | 'ENETUNREACH'
  | 'EHOSTUNREACH'
  | 'ENETDOWN'
  | 'EACCES'
  | 'EPERM'
  | 'ENOBUFS'
  | 'EINVAL'
  | 'EAFNOSUPPORT'
  | 'UNKNOWN';

/** raw-socket reports the text of strerror(3) alone. */
const codesByText: ReadonlyMap<string, SystemErrorCode> = new Map([
  ['Network is unreachable', 'ENETUNREACH'],
  ['No route to host', 'EHOSTUNREACH'],
  ['Network is down', 'ENETDOWN'],
  ['Permission denied', 'EACCES'],
  ['Operation not permitted', 'EPERM'],
  ['No buffer space available', 'ENOBUFS'],
  ['Invalid argument', 'EINVAL'],
  ['Address family not supported by protocol', 'EAFNOSUPPORT'],
]);

/** The errno name of an error thrown by raw-socket; `UNKNOWN` where its text is not in the table. */
export function systemErrorCode(error: unknown): SystemErrorCode {
  return (error instanceof Error ? codesByText.get(error.message) : undefined) ?? 'UNKNOWN';
}
