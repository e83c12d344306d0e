import type { SslVersion } from '@vantage/shared/probe-types/ssl-result.js';
import type { KeyExchange } from './handshake.js';

/** Result of trying one protocol version. */
export interface VersionAttempt {
  readonly version: SslVersion;
  /** True if the version is supported; null if unknown. */
  readonly isSupported: boolean | null;
  readonly cipher: string | null;
  readonly keyExchange: KeyExchange | null;
  /** Reason why it is not supported, or unknown. */
  readonly reason: string | null;
}

/** A version that was not tried yet, or is no longer tried. */
export function untried(version: SslVersion, reason: string): VersionAttempt {
  return { version, isSupported: null, cipher: null, keyExchange: null, reason };
}

/** A version the server does not take. */
export function unsupported(version: SslVersion, reason: string): VersionAttempt {
  return { version, isSupported: false, cipher: null, keyExchange: null, reason };
}
