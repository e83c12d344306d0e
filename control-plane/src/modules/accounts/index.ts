import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { ProviderSettings } from '../../config/oauth-settings.js';
import { keyedHash } from '../../crypto/keyed-hash.js';
import { createSealer } from '../../crypto/sealing.js';
import type { Outbound } from '../../deliver/index.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { enqueue } from '../../jobs/enqueue.js';
import type { Export, Release, Revoke, Suspension } from '../../owners/index.js';
import type { Plans } from '../../plans/index.js';
import type { Logger } from '../../runtime/log.js';
import { AccountDeletion } from './account-deletion.js';
import { AccountExport } from './account-export.js';
import { Administration } from './administration.js';
import { Completion } from './completion/completion.js';
import { EmailChange } from './email-change.js';
import { eraseAccountJob } from './erase-account-job.js';
import { PasskeyCheck } from './factors/passkey-check.js';
import { passkeySiteOf } from './factors/passkey-site.js';
import { Passkeys } from './factors/passkeys.js';
import { SecondFactor } from './factors/second-factor.js';
import { StepUp } from './factors/step-up.js';
import { AccountPages } from './pages/account-pages.js';
import { PageCookies } from './pages/page-cookies.js';
import { PageForms } from './pages/page-forms.js';
import { PasswordRules } from './passwords/password-rules.js';
import { PasswordHasher } from './passwords/passwords.js';
import { type AccountMail } from './profile/account-mail.js';
import { SecurityNotices } from './profile/security-notices.js';
import { ExternalSignIn } from './providers/external-sign-in.js';
import { Provider } from './providers/provider.js';
import { ProviderRequests } from './providers/provider-requests.js';
import { PasswordChanges } from './recovery/password-changes.js';
import { type ListNodes, ProofOfAddress } from './recovery/proof-of-address.js';
import { Recovery } from './recovery/recovery.js';
import { resetPasswordJob } from './recovery/reset-job.js';
import { AccessTokens } from './sessions/access-tokens.js';
import { type BrowserSession, Sessions } from './sessions/sessions.js';
import { SigningKeys } from './sessions/signing-keys.js';
import { AttemptLimits } from './sign-in/attempt-limits.js';
import { Challenges } from './sign-in/challenges.js';
import { confirmSignInJob } from './sign-in/confirm-sign-in-job.js';
import { emailCodeJob } from './sign-in/email-code-job.js';
import { EmailCodes } from './sign-in/email-codes.js';
import { PasswordCheck } from './sign-in/password-check.js';
import { SignInConfirmation } from './sign-in/sign-in-confirmation.js';
import { SignInThrottle } from './sign-in/sign-in-throttle.js';
import { deleteOutdated } from './upkeep.js';
import { Users } from './users.js';
import { EmailCodeSignIn } from './ways/email-code-sign-in.js';
import { PasskeySignIn } from './ways/passkey-sign-in.js';
import { QrSignIn } from './ways/qr-sign-in.js';
import { SignIn } from './ways/sign-in.js';

export type { PasswordHasher } from './passwords/passwords.js';
export { mailboxKey, parseDeliverableEmail } from './profile/email.js';
export { findRecipient } from './profile/recipients.js';
export { ProfileSchema } from './profile/schema.js';
export { readPeople } from './profile/store.js';
export type { User } from './users.js';

export interface AccountsOptions {
  readonly db: Knex;
  readonly clock: Clock;
  readonly log: Logger;
  /** URL at which users reach this service; issuer and audience of access tokens. */
  readonly publicUrl: string;
  /** Key of the installation, 32 bytes: seals the keys that sign access tokens. */
  readonly secretKey: Uint8Array;
  /** True if anyone may register an account. */
  readonly isRegistrationOpen: boolean;
  /** True if an address must be verified before its user signs in. */
  readonly needsVerifiedEmail: boolean;
  readonly mail: AccountMail;
  /** True if a server accepts mails, so that users can be mailed codes. */
  readonly sendsMail: boolean;
  /** External providers by which people sign in. */
  readonly providers: readonly ProviderSettings[];
  /** Addresses of clients that providers may send the browser back to. */
  readonly providerRedirects: readonly string[];
  readonly outbound: Pick<Outbound, 'send'>;
  /** Default: hashes at the full cost. */
  readonly hasher?: PasswordHasher;
  /** Called after the access that a user's credentials give has changed. */
  readonly revoked: (userId: string) => void;
  /** Called after a key that signs access tokens was created or deleted. */
  readonly keysChanged: () => void;
  /** Releases everything that a deleted account owns, in the transaction that deletes it. */
  readonly releaseHoldings: Release;
  /** Reads the configuration that all modules have of an account. */
  readonly exportHoldings: Export;
  readonly limiter: RateLimiter;
  /** Stops the work of all modules for an account that is to be erased, and continues it when the account is restored. */
  readonly holdings: Suspension;
  /** Revokes what a stranger may have left in an account. */
  readonly revokeHoldings: Revoke;
  /** Nodes of an account, which have access to the secrets of its monitors. */
  readonly listNodes: ListNodes;
  /** Schedules a call of `recovery.sendReset`, in the transaction of the request. Default: a job. */
  readonly enqueueReset?: (trx: Knex, sealed: string) => Promise<unknown>;
  /** Schedules a call of `signInConfirmation.send` in the same way. Default: a job. */
  readonly enqueueConfirmation?: (trx: Knex, sealed: string) => Promise<unknown>;
  /** Schedules a call of `emailCodes.send` in the same way. Default: a job. */
  readonly enqueueCode?: (trx: Knex, sealed: string) => Promise<unknown>;
}

/** Ways to sign in beside the password. */
export interface SignInMethods {
  readonly registration: boolean;
  readonly email_code: boolean;
  readonly passkey: boolean;
  readonly qr: boolean;
  readonly providers: { readonly id: string; readonly name: string }[];
}

/** Parts of the module. Start `signingKeys` before the first sign-in, and stop it at the end. */
export interface AccountParts {
  readonly users: Users;
  readonly deletion: AccountDeletion;
  readonly emailChange: EmailChange;
  readonly administration: Administration;
  readonly notices: SecurityNotices;
  readonly accountExport: AccountExport;
  readonly signIn: SignIn;
  readonly emailCodes: EmailCodes;
  readonly emailCodeSignIn: EmailCodeSignIn;
  readonly qrSignIn: QrSignIn;
  readonly completion: Completion;
  readonly pages: AccountPages;
  readonly secondFactor: SecondFactor;
  readonly passkeys: Passkeys;
  readonly passkeyCheck: PasskeyCheck;
  readonly passkeySignIn: PasskeySignIn;
  readonly stepUp: StepUp;
  readonly externalSignIn: ExternalSignIn;
  readonly sessions: Sessions;
  readonly recovery: Recovery;
  readonly signInConfirmation: SignInConfirmation;
  readonly signingKeys: SigningKeys;
  /** Ways to sign in that this installation offers. */
  readonly methods: SignInMethods;
  /** Independent hourly tasks: delete outdated rows; rotate an old signing key. */
  readonly upkeep: readonly (() => Promise<void>)[];
}

/** Builds the parts of this module; nothing runs yet. */
export function openAccounts(options: AccountsOptions): AccountParts {
  const { db, clock, secretKey, log } = options;
  const { hasher = new PasswordHasher() } = options;
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
  const throttle = new SignInThrottle(db, clock);
  const limits = new AttemptLimits(db, throttle);
  const challenges = new Challenges(clock);
  const proofs = new ProofOfAddress({ ...options, sessions, challenges });
  const recovery = new Recovery({
    enqueueReset: (trx, sealed) => enqueue(trx, resetPasswordJob, { sealed }),
    ...options,
    sessions,
    passwords: new PasswordChanges({ ...options, hasher, rules, challenges }),
    proofs,
    throttle,
    challenges,
    sealer: createSealer(secretKey, 'password resets'),
  });
  const signInConfirmation = new SignInConfirmation({
    enqueueConfirmation: (trx, sealed) => enqueue(trx, confirmSignInJob, { sealed }),
    ...options,
    throttle,
    challenges,
    sealer: createSealer(secretKey, 'sign-in confirmations'),
  });
  const emailCodes = new EmailCodes({
    enqueueCode: (trx, sealed) => enqueue(trx, emailCodeJob, { sealed }),
    ...options,
    challenges,
    limits,
    hashCode: keyedHash(secretKey, 'e-mail codes'),
    sealer: createSealer(secretKey, 'requests for e-mail codes'),
  });
  const check = new PasswordCheck({ db, hasher, throttle, limits, confirmation: signInConfirmation });
  const notices = new SecurityNotices(options);
  const secondFactor = new SecondFactor({
    ...options,
    sealer: createSealer(secretKey, 'totp secrets'),
    hashCode: keyedHash(secretKey, 'recovery codes'),
    limits,
    notices,
    issuer: `Vantage (${new URL(options.publicUrl).host})`,
  });
  const completion = new Completion({
    ...options,
    challenges,
    limits,
    secondFactor,
    notices,
    open: (trx, userId, proof) => sessions.open(trx, userId, proof),
  });
  const qr = { db, challenges, publicUrl: options.publicUrl, hashToken: keyedHash(secretKey, 'QR codes') };
  const users = new Users({ ...options, hasher, rules });
  const site = passkeySiteOf(options.publicUrl);
  const passkeyCheck = new PasskeyCheck({ db, clock, site, challenges, limits, notices });
  const providers = options.providers.map((settings) => new Provider(settings, options));
  const requests = new ProviderRequests({
    ...options,
    challenges,
    providers,
    redirects: options.providerRedirects,
    sealer: createSealer(secretKey, 'provider requests'),
  });
  const methods: SignInMethods = {
    registration: options.isRegistrationOpen,
    email_code: options.sendsMail,
    passkey: site !== null,
    qr: true,
    providers: providers.map(({ id, name }) => ({ id, name })),
  };
  const deletion = new AccountDeletion({
    ...options,
    users,
    check,
    challenges,
    enqueueErasure: (trx, userId, at) =>
      enqueue(trx, eraseAccountJob, { userId }, { runAt: at, key: `account.erase:${userId}` }),
  });
  const pageCompletion = new Completion<BrowserSession>({
    ...options,
    challenges,
    limits,
    secondFactor,
    notices,
    open: (trx, userId, proof) => sessions.openBrowser(trx, userId, proof),
  });
  const pages = new AccountPages({
    publicUrl: options.publicUrl,
    sessions,
    cookies: new PageCookies(options.publicUrl),
    forms: new PageForms(options.publicUrl, keyedHash(secretKey, 'forms of pages')),
    completion: pageCompletion,
    externalSignIn: new ExternalSignIn({ ...options, requests, completion: pageCompletion, notices, offered: methods }),
    passkeySignIn: new PasskeySignIn({ check: passkeyCheck, completion: pageCompletion }),
    emailCodeSignIn: new EmailCodeSignIn({ db, codes: emailCodes, limits, proofs, completion: pageCompletion }),
    qrSignIn: new QrSignIn({ ...qr, completion: pageCompletion }),
    signIn: new SignIn({ ...options, hasher, rules, completion: pageCompletion, recovery, check }),
  });
  return {
    users,
    deletion,
    emailChange: new EmailChange({ ...options, challenges, sessions, check, recovery, notices }),
    administration: new Administration({ ...options, sessions, challenges, deletion, notices }),
    notices,
    accountExport: new AccountExport({ ...options, users, secondFactor, sessions }),
    signIn: new SignIn({ ...options, hasher, rules, completion, recovery, check }),
    emailCodes,
    emailCodeSignIn: new EmailCodeSignIn({ db, codes: emailCodes, limits, proofs, completion }),
    qrSignIn: new QrSignIn({ ...qr, completion }),
    completion,
    pages,
    secondFactor,
    passkeys: new Passkeys({ ...options, site, methods, challenges, notices }),
    passkeyCheck,
    passkeySignIn: new PasskeySignIn({ check: passkeyCheck, completion }),
    stepUp: new StepUp({ db, sessions, check, secondFactor, emailCodes, passkeyCheck }),
    externalSignIn: new ExternalSignIn({ ...options, requests, completion, notices, offered: methods }),
    sessions,
    recovery,
    signInConfirmation,
    signingKeys,
    methods,
    upkeep: [() => deleteOutdated(db, clock.now()), () => signingKeys.upkeep()],
  };
}

/** Accounts as routes and commands know them. */
export interface AccountServices extends Omit<AccountParts, 'upkeep'> {
  readonly plans: Plans;
  /** False: mails are written to files, which the operator reads. */
  readonly sendsMail: boolean;
}

declare module '../../http/route.js' {
  interface Services {
    readonly accounts: AccountServices;
  }
}
