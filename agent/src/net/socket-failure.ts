import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { ProbeFailure } from '../probes/failure.js';

/** Error codes for the system's socket errors (errno names of connect(2), recv(2)). */
const codes: Readonly<Record<string, ProbeErrorCode>> = {
  ECONNREFUSED: 'tcp_refused',
  ETIMEDOUT: 'tcp_timeout',
  ECONNRESET: 'tcp_reset',
  ECONNABORTED: 'tcp_reset',
  EPIPE: 'tcp_reset',
  EPROTO: 'tls_handshake',
  ENETUNREACH: 'net_unreachable',
  ENETDOWN: 'net_unreachable',
  EADDRNOTAVAIL: 'net_unreachable',
  EAFNOSUPPORT: 'net_unreachable',
  EINVAL: 'net_unreachable',
  EHOSTUNREACH: 'host_unreachable',
  EHOSTDOWN: 'host_unreachable',
  EACCES: 'net_unreachable',
  EPERM: 'net_unreachable',
  EMFILE: 'overload',
  ENFILE: 'overload',
  ENOMEM: 'overload',
  ENOBUFS: 'overload',
};

/**
 * The name of the system's error, or null. Node makes up errors of its own with the code ECONNRESET ("socket hang up")
 * for connections that ended in good order; only those of the system carry a number.
 */
export function systemErrorName(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const { code, errno } = error as NodeJS.ErrnoException;
  return typeof errno === 'number' && typeof code === 'string' ? code : null;
}

/** The failure behind a socket's error; null when the error is not the system's. `what` names the other end. */
export function socketFailure(error: unknown, what: string): ProbeFailure | null {
  const name = systemErrorName(error);
  if (name === null) return null;
  return new ProbeFailure(codes[name] ?? 'internal', `${what}: ${name}`, { cause: error });
}
