import { createHmac, hkdfSync } from 'node:crypto';
import { createSealer, type Sealer } from '../crypto/sealing.js';
import type { IdempotentRequest } from '../http/frame/idempotency.js';

// Stored data of a request, and the key to read it:
//   key hash     HMAC under a key of this installation      finds the row; reveals neither its caller nor the key
//   fingerprint  HMAC under a key of the Idempotency-Key    shows holders of the key if the request is the same
//   response     sealed by another one, for this row alone  opens for who has the key: a secret in it stays one
// Keys derived from the Idempotency-Key need the installation's secret too: with the database alone, likely keys cannot
// be tried.

/** The stored form of one request. */
export interface RequestSeal {
  /** Identity of the row, 32 bytes. */
  readonly keyHash: Buffer;
  /** 32 bytes. */
  readonly fingerprint: Buffer;
  readonly sealer: Sealer;
}

/** Makes the stored forms of requests. */
export class RequestSeals {
  readonly #rowKey: Buffer;
  readonly #pepper: Buffer;

  /** `secretKey` is the installation's, 32 bytes. */
  constructor(secretKey: Uint8Array) {
    this.#rowKey = deriveKey(secretKey, 'vantage idempotency rows v1');
    this.#pepper = deriveKey(secretKey, 'vantage idempotency responses v1');
  }

  sealOf({ caller, operationId, key, fingerprint }: IdempotentRequest): RequestSeal {
    const keyHash = hmac(this.#rowKey, JSON.stringify([caller, operationId, key]));
    return { keyHash, ...this.rowSeal(keyHash, key, fingerprint) };
  }

  /** Stored fingerprint and sealer of a row, derived from an Idempotency-Key. */
  rowSeal(keyHash: Buffer, key: string, fingerprint: Buffer): Omit<RequestSeal, 'keyHash'> {
    // the pepper has a fixed length, so that it cannot be confused with the key
    const material = Buffer.concat([this.#pepper, Buffer.from(key)]);
    const row = keyHash.toString('base64url');
    return {
      fingerprint: hmac(deriveKey(material, `vantage idempotency fingerprint of ${row} v1`), fingerprint),
      sealer: createSealer(material, `idempotency response of ${row}`),
    };
  }
}

/** HKDF with SHA-256 (RFC 5869), 32 bytes. */
function deriveKey(material: Uint8Array, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', material, '', purpose, 32));
}

function hmac(key: Buffer, data: string | Buffer): Buffer {
  return createHmac('sha256', key).update(data).digest();
}
