import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import { enqueue } from '../../jobs/enqueue.js';
import type { Logger } from '../../log.js';
import { createSealer } from '../../sealing.js';
import { AccessTokens } from './access-tokens.js';
import { type AccountMail, Accounts } from './accounts.js';
import { Challenges } from './challenges.js';
import { PasswordRules } from './password-rules.js';
import { PasswordHasher } from './passwords.js';
import { Recovery } from './recovery.js';
import { resetPasswordJob } from './reset-job.js';
import { Sessions } from './sessions.js';
import { SignIn } from './sign-in.js';
import { SignInThrottle } from './sign-in-throttle.js';
import { SigningKeys } from './signing-keys.js';
import { deleteOutdated } from './upkeep.js';

export type { AccountMail, Accounts, User } from './accounts.js';
export { findRecipient } from './recipients.js';
export { resetPasswordJob } from './reset-job.js';

export interface AccountsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
  /** Where users reach this service; issuer and audience of access tokens. */
  readonly publicUrl: string;
  /** Of the installation, 32 bytes: seals the keys access tokens are signed with. */
  readonly secretKey: Uint8Array;
  /** Whether strangers may make accounts. */
  readonly isRegistrationOpen: boolean;
  /** Whether an address must be verified before its user signs in. */
  readonly needsVerifiedEmail: boolean;
  readonly mail: AccountMail;
  /** Called after what a user's credentials open has changed. */
  readonly revoked: (userId: string) => void;
  /** Called after a key that access tokens are signed with was made or dropped. */
  readonly keysChanged: () => void;
  /** Takes what a deleted account has with it, in the transaction that deletes it. */
  readonly releaseHoldings: (trx: Knex, userId: string, actor: Actor) => Promise<void>;
  /** Has `recovery.sendReset` called in the background, in the transaction of the request. Default: by a job. */
  readonly enqueueReset?: (trx: Knex, sealed: string) => Promise<unknown>;
}

/** Everything about who somebody is. `signingKeys` is to be started before anybody signs in, and stopped. */
export interface AccountParts {
  readonly accounts: Accounts;
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly recovery: Recovery;
  readonly signingKeys: SigningKeys;
  /** To be done hourly, each for itself: deletes what is over; rotates the signing key when it is old. */
  readonly upkeep: readonly (() => Promise<void>)[];
}

/** Builds the parts of this module; nothing begins. */
export function openAccounts(options: AccountsOptions): AccountParts {
  const { db, clock, secretKey, log } = options;
  const hasher = new PasswordHasher();
  const rules = new PasswordRules();
  const signingKeys = new SigningKeys({
    db,
    clock,
    log,
    sealer: createSealer(secretKey, 'signing keys'),
    changed: options.keysChanged,
  });
  const accessTokens = new AccessTokens({ keys: signingKeys, clock, publicUrl: options.publicUrl });
  const sessions = new Sessions({ ...options, accessTokens });
  const recovery = new Recovery({
    enqueueReset: (trx, sealed) => enqueue(trx, resetPasswordJob, { sealed }),
    ...options,
    hasher,
    rules,
    sessions,
    challenges: new Challenges(clock),
    sealer: createSealer(secretKey, 'password resets'),
  });
  const throttle = new SignInThrottle(db, clock);
  return {
    accounts: new Accounts({ ...options, hasher, rules }),
    signIn: new SignIn({ ...options, hasher, rules, sessions, recovery, throttle }),
    sessions,
    recovery,
    signingKeys,
    upkeep: [() => deleteOutdated(db, clock.now()), () => signingKeys.upkeep()],
  };
}
