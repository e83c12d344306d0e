import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Bus } from '../bus/bus.js';
import type { Authenticator } from '../http/access.js';
import { ApiError } from '../http/errors.js';
import type { Account } from '../http/route.js';
import { expandScopes } from '../http/scopes.js';
import type { Logger } from '../log.js';
import type { Credential, CredentialSource } from './credential.js';

export { type Credential, type CredentialSource, OWNER_COLUMNS, type OwnerRow, toOwner } from './credential.js';

// What was read is believed this long. A revocation is told to all replicas at once; this bounds how late one is that
// did not hear of it.
const FRESH_MS = 500;
const TOUCH_EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** In place of a user's id, in messages to other replicas. */
export const EVERYBODY = '*';

interface AuthenticationOptions {
  readonly sources: readonly CredentialSource[];
  readonly bus: Pick<Bus, 'broadcast' | 'onMessage' | 'onResync'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Whether keys and tokens wait until the address of their owner is verified. */
  readonly needsVerifiedEmail: boolean;
}

/** Whose a token is, worked out once for all requests that bring it. */
interface Known {
  readonly credential: Credential;
  readonly account: Account;
}

interface Remembered extends Known {
  /** Monotonic milliseconds. */
  readonly until: number;
}

/** Tells whose token it is, whatever its kind. Revoked here it is refused at once, elsewhere as soon as that hears of it. */
export class Authentication implements Authenticator {
  readonly #remembered = new Map<string, Remembered>();
  readonly #reading = new Map<string, Promise<Known>>();
  readonly #usedAt = new Map<string, number>();
  /** Grows with every revocation: what was being read meanwhile is not remembered. */
  #revocations = 0;

  constructor(private readonly options: AuthenticationOptions) {
    options.bus.onMessage((message) => {
      if (message.type !== 'credentials') return;
      if (message.ids.includes(EVERYBODY)) this.#forgetAll();
      for (const userId of message.ids) this.#forget(userId);
    });
    options.bus.onResync(() => this.#forgetAll());
  }

  /** @throws ApiError AUTH_INVALID_TOKEN, AUTH_EXPIRED, AUTH_SESSION_INVALID, TOKEN_EXPIRED, API_KEY_REVOKED, AUTH_ACCOUNT_DISABLED, ACCOUNT_DELETED */
  async authenticate(token: string): Promise<Account> {
    const { credential, account } = await this.#find(token);
    this.#noteUse(credential);
    return account;
  }

  /** To be called after anything about a user's credentials or state was committed. */
  revoked(userId: string): void {
    this.#forget(userId);
    this.options.bus.broadcast({ type: 'credentials', ids: [userId] });
  }

  /** To be called after something about everybody's credentials was committed. */
  revokedAll(): void {
    this.#forgetAll();
    this.options.bus.broadcast({ type: 'credentials', ids: [EVERYBODY] });
  }

  async #find(token: string): Promise<Known> {
    // tokens themselves are not kept in memory longer than their request
    const key = createHash('sha256').update(token).digest('base64');
    const known = this.#remembered.get(key);
    if (known !== undefined && this.options.clock.monotonicMs() < known.until) return known;
    const running = this.#reading.get(key);
    if (running !== undefined) return running;
    const reading = this.#read(key, token);
    this.#reading.set(key, reading);
    try {
      return await reading;
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    }
  }

  async #read(key: string, token: string): Promise<Known> {
    const revocations = this.#revocations;
    const source = this.#sourceOf(token);
    const credential = await source.find(token);
    judge(credential, this.options.needsVerifiedEmail);
    const found = { credential, account: toAccount(credential) };
    if (revocations === this.#revocations) this.#remember(key, found);
    return found;
  }

  #sourceOf(token: string): CredentialSource {
    const source = this.options.sources.find((candidate) => candidate.recognises(token));
    if (source === undefined) throw new ApiError('AUTH_INVALID_TOKEN');
    return source;
  }

  #remember(key: string, known: Known): void {
    if (this.#remembered.size >= MAX_REMEMBERED) this.#remembered.clear();
    const freshMs = Math.min(FRESH_MS, known.credential.validForMs ?? FRESH_MS);
    this.#remembered.set(key, { ...known, until: this.options.clock.monotonicMs() + freshMs });
  }

  #forget(userId: string): void {
    this.#revocations++;
    this.#reading.clear();
    for (const [key, { credential }] of this.#remembered) {
      if (credential.owner.userId === userId) this.#remembered.delete(key);
    }
  }

  #forgetAll(): void {
    this.#revocations++;
    this.#reading.clear();
    this.#remembered.clear();
  }

  /** Nobody waits for it, and a request is not refused because it failed. */
  #noteUse({ id, kind }: Credential): void {
    const now = this.options.clock.monotonicMs();
    const usedAt = this.#usedAt.get(id);
    if (usedAt !== undefined && now - usedAt < TOUCH_EVERY_MS) return;
    if (this.#usedAt.size >= MAX_REMEMBERED) this.#usedAt.clear();
    this.#usedAt.set(id, now);
    const source = this.options.sources.find((candidate) => candidate.kind === kind);
    source?.noteUse(id).catch((err: unknown) => this.options.log.warn({ err }, 'use of a credential not noted'));
  }
}

/**
 * Of several reasons the one that rules out the others: what was deleted or revoked for good before what has run out, and
 * last what an administrator may lift. @throws ApiError when it opens nothing
 */
function judge(credential: Credential | null, needsVerifiedEmail: boolean): asserts credential is Credential {
  if (credential === null) throw new ApiError('AUTH_INVALID_TOKEN');
  if (credential.owner.state === 'deleted') throw new ApiError('ACCOUNT_DELETED');
  if (credential.refusal !== null) throw new ApiError(credential.refusal);
  if (credential.validForMs !== null && credential.validForMs <= 0) throw new ApiError('TOKEN_EXPIRED');
  if (credential.owner.state === 'disabled') throw new ApiError('AUTH_ACCOUNT_DISABLED');
  // the session of a registration is good for verifying: it ends within minutes otherwise
  const isWaiting = needsVerifiedEmail && !credential.owner.isEmailVerified && credential.kind !== 'session';
  if (isWaiting) throw new ApiError('AUTH_EMAIL_NOT_VERIFIED');
}

function toAccount({ id, kind, owner, scopes, isTest, allowedOrigins }: Credential): Account {
  return {
    userId: owner.userId,
    role: owner.role,
    plan: owner.plan,
    scopes: expandScopes(scopes),
    credentialKind: kind,
    credentialId: id,
    isTest,
    isEmailVerified: owner.isEmailVerified,
    allowedOrigins,
  };
}
