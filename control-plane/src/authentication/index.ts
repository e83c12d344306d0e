import { createHash } from 'node:crypto';
import type { Clock } from '@vantage/shared/clock.js';
import type { Bus } from '../bus/bus.js';
import type { Authenticator } from '../http/access.js';
import { ApiError } from '../http/errors.js';
import { effectiveScopes } from '../http/owner-roles.js';
import type { Account } from '../http/route.js';
import { defaultTokenScopes, expandScopes, type Scope, scopesOfRole } from '../http/scopes.js';
import type { Logger } from '../runtime/log.js';
import type { Credential, CredentialSource } from './credential.js';

export { type Credential, type CredentialSource, HOLDER_COLUMNS, type HolderRow, toHolder } from './credential.js';
export { refuseRevoked } from './refuse-revoked.js';

// Time for which a credential that was read is cached. A revocation is sent to all replicas at once; this bounds the
// delay of a replica that did not receive it.
const FRESH_MS = 500;
const TOUCH_EVERY_MS = 60_000;
const MAX_REMEMBERED = 10_000;

/** Stands for all ids, in messages to other replicas. */
export const EVERYBODY = '*';

interface AuthenticationOptions {
  readonly sources: readonly CredentialSource[];
  readonly bus: Pick<Bus, 'broadcast' | 'onMessage' | 'onResync'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** True if keys and tokens are refused until the e-mail address of their owner is verified. */
  readonly needsVerifiedEmail: boolean;
}

/** Account behind a token, determined once for all requests that bring the token. */
interface Known {
  readonly credential: Credential;
  readonly account: Account;
}

interface Remembered extends Known {
  /** Monotonic milliseconds. */
  readonly until: number;
}

/**
 * Authenticates a bearer token of any kind. A revoked token is refused at once in this replica, and in the others as
 * soon as they are notified.
 */
export class Authentication implements Authenticator {
  readonly #remembered = new Map<string, Remembered>();
  readonly #reading = new Map<string, Promise<Known>>();
  readonly #usedAt = new Map<string, number>();
  readonly #listeners: ((id: string) => void)[] = [];
  /** Count of revocations: data that was being read during one is not cached. */
  #revocations = 0;

  constructor(private readonly options: AuthenticationOptions) {
    options.bus.onMessage((message) => {
      if (message.type !== 'credentials') return;
      if (message.ids.includes(EVERYBODY)) this.#forgetAll();
      for (const id of message.ids) this.#forget(id);
    });
    options.bus.onResync(() => this.#forgetAll());
  }

  /** @throws ApiError AUTH_INVALID_TOKEN, AUTH_EXPIRED, AUTH_SESSION_INVALID, TOKEN_EXPIRED, API_KEY_REVOKED, AUTH_ACCOUNT_DISABLED, ACCOUNT_DELETED */
  async authenticate(token: string): Promise<Account> {
    const { credential, account } = await this.#find(token);
    this.#noteUse(credential);
    return account;
  }

  /** The account of a token as `authenticate` does, and the milliseconds for which the token stays valid; null: it does not expire. */
  async examine(token: string): Promise<{ readonly account: Account; readonly validForMs: number | null }> {
    const { credential, account } = await this.#find(token);
    return { account, validForMs: credential.validForMs };
  }

  /** Calls back with the id of a user or owner whose credentials may have changed, or EVERYBODY: here or in another replica. */
  onChanged(listener: (id: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Forgets the cached credentials of a user or an owner, after a change to them or to its state was committed. */
  revoked(id: string): void {
    this.#forget(id);
    this.options.bus.broadcast({ type: 'credentials', ids: [id] });
  }

  /** Forgets all cached credentials, after a change that affects them was committed. */
  revokedAll(): void {
    this.#forgetAll();
    this.options.bus.broadcast({ type: 'credentials', ids: [EVERYBODY] });
  }

  async #find(token: string): Promise<Known> {
    // tokens themselves are not kept in memory after their request
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

  #forget(id: string): void {
    this.#revocations++;
    this.#reading.clear();
    for (const [key, { credential }] of this.#remembered) {
      if (credential.owner.id === id || credential.user?.id === id) this.#remembered.delete(key);
    }
    for (const listener of this.#listeners) listener(id);
  }

  #forgetAll(): void {
    this.#revocations++;
    this.#reading.clear();
    this.#remembered.clear();
    for (const listener of this.#listeners) listener(EVERYBODY);
  }

  /** Notes the use in the background; a failure does not refuse the request. */
  #noteUse({ id, kind }: Credential): void {
    const now = this.options.clock.monotonicMs();
    const usedAt = this.#usedAt.get(id);
    if (usedAt !== undefined && now - usedAt < TOUCH_EVERY_MS) return;
    if (this.#usedAt.size >= MAX_REMEMBERED) this.#usedAt.clear();
    this.#usedAt.set(id, now);
    const source = this.options.sources.find((candidate) => candidate.kind === kind);
    source
      ?.noteUse(id)
      .catch((err: unknown) => this.options.log.warn({ err }, 'cannot record the use of a credential'));
  }
}

/**
 * Checks that a credential may be used. If several reasons refuse it, the most final one is reported: first deletion
 * and revocation, then expiry, last what an administrator may lift.
 * @throws ApiError
 */
function judge(credential: Credential | null, needsVerifiedEmail: boolean): asserts credential is Credential {
  if (credential === null) throw new ApiError('AUTH_INVALID_TOKEN');
  if (credential.owner.state === 'deleted') throw new ApiError('ACCOUNT_DELETED');
  if (credential.refusal !== null) throw new ApiError(credential.refusal);
  if (credential.validForMs !== null && credential.validForMs <= 0) throw new ApiError('TOKEN_EXPIRED');
  if (credential.owner.state !== 'active') throw new ApiError('AUTH_ACCOUNT_DISABLED');
  // the session of a registration is valid for verification; otherwise it ends within minutes
  const isWaiting = needsVerifiedEmail && credential.user?.isEmailVerified === false && credential.kind !== 'session';
  if (isWaiting) throw new ApiError('AUTH_EMAIL_NOT_VERIFIED');
}

/**
 * Scopes that the holder has now: only administrators have `admin`, whatever their role was when the credentials were
 * created.
 */
function scopesOf({ scopes, user, kind }: Credential): ReadonlySet<Scope> {
  const possible = new Set(kind === 'api_key' ? defaultTokenScopes : scopesOfRole(user?.role ?? 'user'));
  return new Set([...expandScopes(scopes)].filter((scope) => possible.has(scope)));
}

function toAccount(credential: Credential): Account {
  const { id, kind, owner, user, isTest, allowedOrigins } = credential;
  return {
    owner: { kind: owner.kind, id: owner.id, isTest },
    user: user === null ? null : { id: user.id },
    createdBy: credential.createdBy,
    role: user?.role ?? 'user',
    plan: owner.plan,
    ownerRole: credential.ownerRole,
    scopes: effectiveScopes(scopesOf(credential), credential.ownerRole),
    credentialKind: kind,
    credentialId: id,
    isEmailVerified: user?.isEmailVerified ?? true,
    freshness: credential.freshness ?? null,
    isBrowser: credential.isBrowser === true,
    allowedOrigins,
  };
}
