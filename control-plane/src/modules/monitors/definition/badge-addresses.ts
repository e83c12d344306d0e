import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

const CODE_BYTES = 16;
/** Characters of a code in base64url. */
const CODE_LENGTH = Math.ceil((CODE_BYTES * 8) / 6);

/** Public addresses of badges: the id of a monitor, and a code by which no one can guess the address of another one. */
export class BadgeAddresses {
  readonly #key: Uint8Array;

  /** `secretKey`: secret key of the installation, 32 bytes. `publicUrl`: base URL of the API, without a final slash. */
  constructor(
    secretKey: Uint8Array,
    private readonly publicUrl: string,
  ) {
    this.#key = Buffer.from(hkdfSync('sha256', secretKey, '', 'vantage badges v1', 32));
  }

  /** Address of the badge of a monitor. */
  urlOf(monitorId: string): string {
    return `${this.publicUrl}/badge/${this.#publicIdOf(monitorId)}.svg`;
  }

  /** Monitor of a badge; null if there is no such badge. */
  monitorOf(publicId: string): string | null {
    const monitorId = publicId.slice(0, -CODE_LENGTH - 1);
    const [given, right] = [Buffer.from(publicId), Buffer.from(this.#publicIdOf(monitorId))];
    return given.length === right.length && timingSafeEqual(given, right) ? monitorId : null;
  }

  #publicIdOf(monitorId: string): string {
    const code = createHmac('sha256', this.#key).update(monitorId).digest().subarray(0, CODE_BYTES);
    return `${monitorId}-${code.toString('base64url')}`;
  }
}
