import { createHash } from 'node:crypto';
import { addressKey } from '../../../limits/caller-networks.js';

/** Secrets that are guessed; each kind is counted separately, so that a correct password does not reset the count of wrong codes. */
export type Guessed = 'password' | 'second factor' | 'e-mail code';

/** Attempt to prove a secret: its account and its network. */
export interface Attempt {
  /** E-mail address as stored, so that all spellings share one count. */
  readonly email: string;
  readonly address: string;
  readonly what: Guessed;
  /** True if the account was signed in to from this network before, or the network was admitted by mail within a day. */
  readonly isKnownNetwork: boolean;
  /** True if the caller already has credentials of the account; attempts of strangers are counted separately. */
  readonly isSignedIn: boolean;
}

/** Keys under which failures are counted. */
export interface FailureKeys {
  /** Key of the network, over all accounts. */
  readonly network: string;
  /** Key of the account from this network. */
  readonly pair: string;
  /** Key of the account from all networks that are not known to it. */
  readonly account: string;
}

/** Keys of an attempt, hashed, so that the table does not reveal the text that people enter as their address. */
export function failureKeysOf({ email, address, what, isSignedIn }: Attempt): FailureKeys {
  const network = networkHash(address);
  const account = what === 'password' ? accountKey(email) : `${what} ${hashOf(email)}`;
  return {
    network: `network ${network}`,
    pair: `${account} from ${network}`,
    account: `${account} by ${isSignedIn ? 'holders' : 'strangers'}`,
  };
}

/** Prefix of every key of the passwords of an account. */
export function accountKey(email: string): string {
  return `account ${hashOf(email)}`;
}

/** Key under which all codes that were tried for an address are counted, from any network. */
export function codeTriesKey(email: string): string {
  return `code tries ${hashOf(email)}`;
}

/** Hash of the network of an address: an IPv4 address, or an IPv6 /64. */
export function networkHash(address: string): string {
  return hashOf(addressKey(address));
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
