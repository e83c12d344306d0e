import { FakeClock } from '@vantage/shared/_support/fake-clock.js';
import { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { Test } from 'tap';
import { type Actor, program } from '../../src/audit-log/actor.js';
import type { ProviderSettings } from '../../src/config/oauth-settings.js';
import { Outbound } from '../../src/deliver/index.js';
import { type AccountParts, openAccounts } from '../../src/modules/accounts/index.js';
import { type AccountMail } from '../../src/modules/accounts/profile/account-mail.js';
import { listNodesOfOwner } from '../../src/modules/nodes/store.js';
import { type Revocation, revokeBy } from '../../src/owners/index.js';
import { createLogger } from '../../src/runtime/log.js';
import { cheapHasher } from './cheap-hasher.js';
import { createReusedDatabase, createTestDatabase, type TestDatabase } from './database.js';
import { generousLimiter } from './generous-limiter.js';

type Letter = Parameters<AccountMail['enqueue']>[1];

export const password = 'correct horse battery staple';
export const publicUrl = 'https://vantage.example';

const policy = new TargetPolicy({ allow: [], own: [], denied: [] });

/** The parts of accounts on a real database and a fake clock; mails are kept instead of sent. */
export interface People extends AccountParts {
  readonly db: TestDatabase['db'];
  readonly clock: FakeClock;
  readonly letters: Letter[];
  /** Makes the mail queue fail from now on. */
  breakMail(): void;
  /** Users whose credentials were announced as changed. */
  readonly revoked: string[];
  /** Runs the queued jobs that check passwords tried while an account was in its waiting time. */
  runConfirmations(): Promise<void>;
  /** Runs the queued jobs that mail codes, and returns the newest code; null if none was mailed. */
  mailCode(): Promise<string | null>;
  /** Creates a user with a password. */
  add(email: string): Promise<{ id: string; email: string }>;
  login(email: string, options?: { password?: string; address?: string }): ReturnType<AccountParts['signIn']['login']>;
}

interface PeopleOptions {
  readonly isRegistrationOpen?: boolean;
  readonly needsVerifiedEmail?: boolean;
  /** True if passwords are hashed as in production. */
  readonly isCostFull?: boolean;
  readonly database?: TestDatabase;
  /** Revocations of modules, for a proof of the address; default: none. */
  readonly revocations?: readonly Revocation[];
  readonly providers?: readonly ProviderSettings[];
}

/** Opens parts for one test after another, on a database without users each time. */
export async function peopleInTurn(t: Test): Promise<(t: Test, options?: PeopleOptions) => Promise<People>> {
  const fresh = await createReusedDatabase(t);
  return async (t, options = {}) => openPeople(t, { ...options, database: options.database ?? (await fresh()) });
}

export async function openPeople(t: Test, options: PeopleOptions = {}): Promise<People> {
  const { db } = options.database ?? (await createTestDatabase(t));
  const clock = new FakeClock();
  const letters: Letter[] = [];
  const revoked: string[] = [];
  const confirmations: string[] = [];
  const codeRequests: string[] = [];
  let isMailBroken = false;
  const parts = openAccounts({
    db,
    clock,
    log: createLogger('silent'),
    publicUrl,
    secretKey: Buffer.alloc(32, 7),
    isRegistrationOpen: options.isRegistrationOpen ?? true,
    needsVerifiedEmail: options.needsVerifiedEmail ?? false,
    mail: {
      enqueue: async (_trx, letter) => {
        if (isMailBroken) throw new Error('no mail');
        letters.push(letter);
      },
    },
    sendsMail: true,
    providers: options.providers ?? [],
    providerRedirects: ['com.example.app:/signed-in'],
    outbound: new Outbound({ policy: () => policy, userAgent: 'Vantage/test', clock }),
    ...(options.isCostFull === true ? {} : { hasher: cheapHasher() }),
    revoked: (userId) => revoked.push(userId),
    keysChanged: () => {},
    releaseHoldings: async () => {},
    exportHoldings: async () => ({}),
    limiter: generousLimiter,
    holdings: { suspend: async () => {}, resume: async () => {} },
    revokeHoldings: revokeBy(options.revocations ?? []),
    listNodes: listNodesOfOwner,
    enqueueReset: (_trx, sealed) => parts.recovery.sendReset(sealed),
    // on request: the response must not wait for it
    enqueueConfirmation: async (_trx, sealed) => void confirmations.push(sealed),
    enqueueCode: async (_trx, sealed) => void codeRequests.push(sealed),
  });
  await parts.signingKeys.start();
  t.teardown(() => parts.signingKeys.stop());
  return {
    ...parts,
    db,
    clock,
    letters,
    revoked,
    breakMail: () => {
      isMailBroken = true;
    },
    runConfirmations: async () => {
      for (const sealed of confirmations.splice(0)) await parts.signInConfirmation.send(sealed);
    },
    mailCode: async () => {
      letters.splice(0);
      for (const sealed of codeRequests.splice(0)) await parts.emailCodes.send(sealed);
      const letter = letters.at(-1);
      return letter?.template === 'email-code' ? letter.data.code : null;
    },
    add: (email) => parts.users.createUser({ email, role: 'user', password }),
    login: (email, { password: tried = password, address = '192.0.2.1' } = {}) =>
      parts.signIn.login({
        email,
        password: tried,
        client: { address, userAgent: 'test' },
        actor: from(address),
      }),
  };
}

/** A caller at an address, without credentials. */
export function from(address: string): Actor {
  return { ...program, address, requestId: 'req_test' };
}
