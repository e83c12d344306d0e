import { EVERYBODY } from '../../authentication/index.js';
import { defineModule, type House } from '../module.js';
import { accountActions } from './actions.js';
import { eraseAccountJob } from './erase-account-job.js';
import { openAccounts } from './index.js';
import { accountMails } from './mails/index.js';
import { resetPasswordJob } from './recovery/reset-job.js';
import { accountRoutes } from './routes.js';
import type { SigningKeys } from './sessions/signing-keys.js';
import { confirmSignInJob } from './sign-in/confirm-sign-in-job.js';
import { emailCodeJob } from './sign-in/email-code-job.js';

/** Accounts: registration, sign-in, sessions and their keys, recovery, deletion. */
export const accountsModule = defineModule({
  name: 'accounts',
  actions: accountActions,
  tags: {
    Authentication: 'Registering, logging in and out, refreshing an access token, verifying an address, and passwords.',
    Account: 'Your profile, your sessions, your limits, and the audit log of your account.',
  },
  routes: accountRoutes,
  mails: accountMails,
  jobs: [resetPasswordJob, confirmSignInJob, emailCodeJob, eraseAccountJob],
  open(house, { nodes }) {
    const { config, db, clock, log, publicUrl, secretKey, mail, hasher, authentication } = house;
    const { upkeep, ...parts } = openAccounts({
      db,
      clock,
      log: log.child({ part: 'accounts' }),
      publicUrl,
      secretKey,
      isRegistrationOpen: config.isRegistrationOpen,
      needsVerifiedEmail: config.needsVerifiedEmail,
      mail,
      sendsMail: config.smtp !== null,
      providers: config.providers,
      providerRedirects: config.providerRedirects,
      outbound: house.outbound,
      ...(hasher === undefined ? {} : { hasher }),
      revoked: (userId) => authentication.revoked(userId),
      keysChanged: () => authentication.revokedAll(),
      releaseHoldings: house.releaseHoldings,
      holdings: house.holdings,
      exportHoldings: house.exportHoldings,
      limiter: house.limiter,
      revokeHoldings: house.revokeHoldings,
      listNodes: (trx, userId) => nodes.listOfOwner(trx, userId),
    });
    const { sessions, signingKeys, recovery, signInConfirmation, emailCodes, deletion } = parts;
    followKeys(house, signingKeys);
    return {
      service: { ...parts, plans: config.plans, sendsMail: config.smtp !== null },
      startables: [signingKeys],
      credentials: [sessions],
      jobServices: { recovery, signInConfirmation, emailCodes, accountDeletion: deletion },
      upkeep,
    };
  },
});

/** Reads the signing keys again when another replica may have created or deleted one. */
function followKeys({ bus, log }: House, signingKeys: SigningKeys): void {
  const readKeys = () =>
    void signingKeys.reload().catch((err: unknown) => log.warn({ err }, 'cannot read signing keys'));
  bus.onMessage((message) => {
    if (message.type === 'credentials' && message.ids.includes(EVERYBODY)) readKeys();
  });
  bus.onResync(readKeys);
}
