import { createSealer, type Sealer } from '../../../crypto/sealing.js';
import type { EndpointRow, SecretColumns } from './endpoint-store.js';

/** Request headers by name. */
export type HeaderValues = Readonly<Record<string, string>>;

/** Seals secrets and headers of endpoints; `secretKey`: key of the installation, 32 bytes. */
export class EndpointSeals {
  readonly #sealer: Sealer;

  constructor(secretKey: Uint8Array) {
    this.#sealer = createSealer(secretKey, 'webhook endpoints');
  }

  seal(plain: Uint8Array): Buffer {
    return this.#sealer.seal(plain);
  }

  /** Sealed headers; null if there are none. */
  sealHeaders(headers: HeaderValues): Buffer | null {
    return Object.keys(headers).length === 0 ? null : this.seal(Buffer.from(JSON.stringify(headers)));
  }

  openHeaders({ sealed_headers: sealed }: Pick<EndpointRow, 'sealed_headers'>): HeaderValues {
    return sealed === null ? {} : JSON.parse(this.#sealer.open(sealed).toString());
  }

  /** Secrets that sign at an instant, newest first. */
  openSecrets(row: Omit<SecretColumns, 'secret_hint'>, nowMs: number): readonly Buffer[] {
    const { sealed_secret: newest, sealed_previous_secret: previous, previous_secret_expires_at: until } = row;
    const isValid = previous !== null && until !== null && until.getTime() > nowMs;
    return [newest, ...(isValid ? [previous] : [])].map((sealed) => this.#sealer.open(sealed));
  }
}
