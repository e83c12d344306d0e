import { constants } from 'node:os';
import { getSystemErrorName } from 'node:util';
import type { Family } from './address.js';

/**
 * Reason why raw sockets are not available: no permission, the native module does not load, or the system lacks the
 * protocol.
 */
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

  /** Classifies the system's refusal of a new socket. */
  static of(cause: unknown, family: Family): RawSocketError {
    const code = systemErrorCode(cause);
    if (code === 'EPERM' || code === 'EACCES') {
      return new RawSocketError('not_permitted', 'the system does not permit raw sockets', { cause });
    }
    return new RawSocketError('not_supported', `the system refuses a raw IPv${family} socket`, { cause });
  }
}

/** The errors a raw socket answers with in practice, and the texts of strerror(3), which is all that raw-socket reports. */
const textsByCode = {
  ENETUNREACH: 'Network is unreachable',
  EHOSTUNREACH: 'No route to host',
  ENETDOWN: 'Network is down',
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  ENOBUFS: 'No buffer space available',
  EINVAL: 'Invalid argument',
  EMSGSIZE: 'Message too long',
  EAFNOSUPPORT: 'Address family not supported by protocol',
} as const;

type KnownCode = keyof typeof textsByCode;
/** One of those errors, or another one. */
export type SystemErrorCode = KnownCode | 'UNKNOWN';

const codes = new Set<string>(Object.keys(textsByCode));
const codesByText = new Map<string, SystemErrorCode>(
  Object.entries(textsByCode).map(([code, text]) => [text, toCode(code)]),
);

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

  /** @param errno negative, as libuv counts */
  static of(errno: number): SendError {
    const name = getSystemErrorName(errno);
    return new SendError(toCode(name), `the system refused the packet: ${name}`);
  }
}

/** The errno name of what a native module threw; `UNKNOWN` where it is not in the table. */
export function systemErrorCode(error: unknown): SystemErrorCode {
  if (!(error instanceof Error)) return 'UNKNOWN';
  if ('code' in error && typeof error.code === 'string') return toCode(error.code);
  return codesByText.get(error.message) ?? 'UNKNOWN';
}

/** Classifies the error that kept a packet from leaving. */
export function toSendError(cause: unknown): SendError {
  if (cause instanceof SendError) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  return new SendError(systemErrorCode(cause), `the system refused the packet: ${text}`, { cause });
}

function isKnown(code: string): code is KnownCode {
  return codes.has(code);
}

function toCode(code: string): SystemErrorCode {
  return isKnown(code) ? code : 'UNKNOWN';
}
