import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import { insertPasskey } from '../../src/modules/accounts/factors/factor-store.js';

// An authenticator and the browser around it, as far as WebAuthn Level 3 sections 5.8.1, 6.1 and 6.5 describe what a site receives:
// ES256, attestation "none", passkeys that are found without a name.

/** Passkey in an authenticator. */
interface Stored {
  readonly id: Buffer;
  readonly key: KeyObject;
  readonly userHandle: string;
}

/** Deviations from a correct response. */
interface Faults {
  /** Origin of the page that uses the passkey. */
  readonly origin?: string;
  /** False if the person touched the device and proved nothing. */
  readonly isVerified?: boolean;
  /** Signature counter; default: one more than the last. */
  readonly counter?: number;
  readonly userHandle?: string;
  /** Certificate, PEM, that attests the authenticator (section 8.6, fido-u2f), and its key. */
  readonly attestedBy?: { readonly cert: string; readonly key: string };
}

/** Options of a site for the browser. */
interface Options {
  readonly challenge: string;
  readonly user?: { readonly id: string };
}

/** Authenticator with any number of passkeys for one site. */
export class Authenticator {
  readonly #passkeys: Stored[] = [];
  #counter = 0;

  constructor(private readonly site: { readonly origin: string; readonly rpId: string }) {}

  /** Makes a passkey, which signs from now on: `navigator.credentials.create()`. */
  create(options: Options, faults: Faults = {}) {
    const { publicKey, privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const id = randomBytes(32);
    this.#passkeys.unshift({ id, key, userHandle: options.user?.id ?? '' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const [left, right] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
    const coseKey = map([1, 2], [3, -7], [-1, 1], [-2, left], [-3, right]);
    const length = Buffer.from([0, id.length]);
    const attested = Buffer.concat([Buffer.alloc(16), length, id, coseKey]);
    const authData = Buffer.concat([this.#authData(0x40, faults), attested]);
    const clientData = this.#clientData('webauthn.create', options, faults);
    const { attestedBy } = faults;
    const toAttest = [Buffer.alloc(1), sha256(this.site.rpId), sha256(clientData), id, Buffer.from([4]), left, right];
    const attestation = map(
      ['fmt', attestedBy === undefined ? 'none' : 'fido-u2f'],
      ['attStmt', attestedBy === undefined ? {} : attest(Buffer.concat(toAttest), attestedBy)],
      ['authData', authData],
    );
    const clientDataJSON = clientData.toString('base64url');
    const response = { clientDataJSON, attestationObject: attestation.toString('base64url'), transports: ['internal'] };
    return { ...credential(id), response };
  }

  /** Signs a challenge with the newest passkey, or the one with this id: `navigator.credentials.get()`. */
  get(options: Options, faults: Faults & { readonly id?: string } = {}) {
    const passkey = this.#passkeys.find(({ id }) => faults.id === undefined || id.toString('base64url') === faults.id);
    if (passkey === undefined) throw new Error('no such passkey');
    const authData = this.#authData(0, faults);
    const clientData = this.#clientData('webauthn.get', options, faults);
    const signed = Buffer.concat([authData, sha256(clientData)]);
    const response = {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, passkey.key).toString('base64url'),
      userHandle: faults.userHandle ?? passkey.userHandle,
    };
    return { ...credential(passkey.id), response };
  }

  #authData(flags: number, { isVerified = true, counter = ++this.#counter }: Faults): Buffer {
    const head = Buffer.alloc(5);
    head.writeUInt8(flags | 0x01 | (isVerified ? 0x04 : 0));
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(this.site.rpId), head]);
  }

  #clientData(type: string, { challenge }: Options, { origin = this.site.origin }: Faults): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  }
}

function credential(id: Buffer) {
  const text = id.toString('base64url');
  return { id: text, rawId: text, type: 'public-key' as const, clientExtensionResults: {} };
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

function attest(data: Buffer, { cert, key }: { readonly cert: string; readonly key: string }) {
  return { sig: sign('sha256', data, key), x5c: [new X509Certificate(cert).raw] };
}

type Item = number | string | Buffer | readonly Item[] | { readonly [name: string]: Item };

/** CBOR (RFC 8949) of a map. */
function map(...entries: readonly (readonly [Item, Item])[]): Buffer {
  return Buffer.concat([head(5, entries.length), ...entries.flat().map(cbor)]);
}

function cbor(item: Item): Buffer {
  if (typeof item === 'number') return item < 0 ? head(1, -1 - item) : head(0, item);
  if (typeof item === 'string') return Buffer.concat([head(3, item.length), Buffer.from(item)]);
  if (Buffer.isBuffer(item)) return Buffer.concat([head(2, item.length), item]);
  if (Array.isArray(item)) return Buffer.concat([head(4, item.length), ...item.map(cbor)]);
  return map(...Object.entries(item));
}

/** First bytes of an item of a major type, up to a length of 65 535. */
function head(major: number, size: number): Buffer {
  if (size < 24) return Buffer.from([(major << 5) | size]);
  return size < 256 ? Buffer.from([(major << 5) | 24, size]) : Buffer.from([(major << 5) | 25, size >> 8, size & 255]);
}

/** Stores a passkey that no authenticator has; returns its id. */
export async function storePasskey(db: Knex, userId: string, name: string): Promise<string> {
  const id = newId(idPrefixes.passkey);
  const bytes = Buffer.from(id);
  const credential = { credential_id: bytes, public_key: bytes, counter: 0, transports: [] };
  await insertPasskey(db, { id, user_id: userId, ...credential, name, created_at: new Date(), last_used_at: null });
  return id;
}
