import { Authentication, EVERYBODY } from '../authentication/index.js';
import type { MailParts } from '../mail/index.js';
import { type AccountParts, openAccounts } from '../modules/accounts/index.js';
import type { Nodes } from '../modules/nodes/index.js';
import { Tokens } from '../modules/tokens/index.js';
import type { Foundation } from './foundation.js';
import { releaseHoldings } from './holdings.js';
import type { Replicas } from './replicas.js';

/** Who may ask for what: accounts, their tokens, and the mail that reaches them. */
export interface People {
  readonly accounts: AccountParts;
  readonly tokens: Tokens;
  readonly authentication: Authentication;
}

/** Builds it; nothing runs yet. `nodes` loses an account's nodes with the account. */
export function wirePeople(
  foundation: Foundation,
  { bus }: Replicas,
  { nodes, mail }: { readonly nodes: Nodes; readonly mail: MailParts['mail'] },
): People {
  const { config, clock, log, db, secretKey, publicUrl } = foundation;
  const accounts = openAccounts({
    db,
    clock,
    log: log.child({ part: 'accounts' }),
    publicUrl,
    secretKey,
    isRegistrationOpen: config.isRegistrationOpen,
    needsVerifiedEmail: config.needsVerifiedEmail,
    mail,
    revoked: (userId) => authentication.revoked(userId),
    keysChanged: () => authentication.revokedAll(),
    releaseHoldings: releaseHoldings(nodes),
  });
  const tokens = new Tokens({ db, clock, authentication: { revoked: (userId) => authentication.revoked(userId) } });
  const readKeys = () =>
    void accounts.signingKeys.reload().catch((err: unknown) => log.warn({ err }, 'signing keys not read'));
  bus.onMessage((message) => {
    if (message.type === 'credentials' && message.ids.includes(EVERYBODY)) readKeys();
  });
  bus.onResync(readKeys);
  const authentication = new Authentication({
    sources: [accounts.sessions, ...tokens.sources],
    bus,
    clock,
    log: log.child({ part: 'authentication' }),
    needsVerifiedEmail: config.needsVerifiedEmail,
  });
  return { accounts, tokens, authentication };
}
