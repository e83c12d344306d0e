import type { SslVersion } from '@vantage/shared/probe-types/ssl.js';
import type { KeyExchange } from './handshake.js';

/** What trying one protocol version showed. */
export interface VersionAttempt {
  readonly version: SslVersion;
  /** Null: it could not be told. */
  readonly isSupported: boolean | null;
  readonly cipher: string | null;
  readonly keyExchange: KeyExchange | null;
  /** Why it is not supported, or not known. */
  readonly reason: string | null;
}

/** A version nobody has asked for yet, or no longer. */
export function untried(version: SslVersion, reason: string): VersionAttempt {
  return { version, isSupported: null, cipher: null, keyExchange: null, reason };
}

/** A version the server does not take. */
export function unsupported(version: SslVersion, reason: string): VersionAttempt {
  return { version, isSupported: false, cipher: null, keyExchange: null, reason };
}
