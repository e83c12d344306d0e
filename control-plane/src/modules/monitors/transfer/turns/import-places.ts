import { ApiError } from '../../../../http/errors.js';

/** Delay before a refused import should be retried, in seconds. */
const RETRY_AFTER_SECONDS = 10;

/** Limits running imports of this process: one per account, and a total number of bytes. */
export class ImportPlaces {
  readonly #accounts = new Set<string>();
  #bytes = 0;

  constructor(private readonly mostBytes: number) {}

  /**
   * Takes a place. @returns a function that releases it, to be called once
   * @throws ApiError CONFLICT while the account has one, UNAVAILABLE while the limit of bytes is reached
   */
  take(userId: string, bytes: number): () => void {
    if (this.#accounts.has(userId)) throw anotherIsUnderWay();
    if (this.#bytes + bytes > this.mostBytes)
      throw new ApiError('UNAVAILABLE', { retryAfterSeconds: RETRY_AFTER_SECONDS });
    this.#accounts.add(userId);
    this.#bytes += bytes;
    return () => {
      this.#accounts.delete(userId);
      this.#bytes -= bytes;
    };
  }
}

function anotherIsUnderWay(): ApiError {
  const message = 'must wait: another import of this account is running; send this one again when it has finished';
  return new ApiError('CONFLICT', {
    details: { body: [{ code: 'conflict', message }] },
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
