import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type Actor, commandLine } from '../../../audit-log/actor.js';
import type { SecurityEvent } from '../mails/security-notice.js';
import type { AccountMail } from './account-mail.js';
import { localesOfProfiles } from './profile.js';
import { findUser, type UserRow } from './store.js';

/** Mails owners about changes to what protects their account. */
export class SecurityNotices {
  constructor(private readonly options: { readonly clock: Clock; readonly mail: AccountMail }) {}

  /** As `enqueue`, to the user with an id; nothing for the owner of another kind, and for acts of the command line. */
  async enqueueTo(
    trx: Knex,
    userId: string,
    notice: { kind: SecurityEvent; name?: string; actor: Actor },
  ): Promise<void> {
    // the operator of this machine needs no account to act on one
    if (notice.actor.credentialId === commandLine.credentialId) return;
    const user = await findUser(trx, userId);
    if (user !== null) await this.enqueue(trx, user, notice);
  }

  /**
   * Queues a mail in the caller's transaction, to a verified address alone: an unverified one may be a stranger's.
   * `to`: another address of the user than the present one.
   */
  async enqueue(
    trx: Knex,
    user: UserRow,
    {
      kind,
      name = '',
      actor,
      to = user.email,
    }: { kind: SecurityEvent; name?: string; actor: Actor; to?: string | null },
  ): Promise<void> {
    if (to === null || user.email_verified_at === null) return;
    const { clock, mail } = this.options;
    await mail.enqueue(trx, {
      to,
      locale: localesOfProfiles[user.locale],
      timezone: user.timezone,
      template: 'security-notice',
      data: { kind, name, at: new Date(clock.now()).toISOString(), address: actor.address ?? '' },
    });
  }
}
