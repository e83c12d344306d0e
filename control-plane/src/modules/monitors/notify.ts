import type { Mail } from '../../mail/index.js';
import { findRecipient } from '../accounts/index.js';
import type { Notify } from './episodes.js';

/** Mails the owner of a monitor, in the transaction in which an event opens or closes. */
export function mailOwner(mail: Pick<Mail, 'enqueue'>): Notify {
  return async (trx, { monitor, event }) => {
    if (!monitor.notifies_owner || monitor.is_test) return;
    const owner = await findRecipient(trx, monitor.user_id);
    if (owner === null) return;
    await mail.enqueue(trx, {
      to: owner.email,
      locale: owner.locale,
      template: 'monitor-event',
      data: {
        isDegraded: event.type === 'degraded',
        name: monitor.name,
        target: monitor.target,
        reason: event.reason,
        startedAt: event.started_at.toISOString(),
        endedAt: event.ended_at?.toISOString() ?? null,
      },
    });
  };
}
