import type { Mail } from '../../mail/index.js';
import { findRecipient } from '../accounts/index.js';
import type { Notify, NotifyFlapping } from './episodes.js';

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

/** Mails the owner of a monitor when it begins to flap, and when it has settled. */
export function mailFlapping(mail: Pick<Mail, 'enqueue'>): NotifyFlapping {
  return async (trx, { user_id, notifies_owner, is_test, name, target }, { isFlapping, isUp }) => {
    if (!notifies_owner || is_test) return;
    const owner = await findRecipient(trx, user_id);
    if (owner === null) return;
    await mail.enqueue(trx, {
      to: owner.email,
      locale: owner.locale,
      template: 'monitor-flapping',
      data: { isOver: !isFlapping, isUp, name, target },
    });
  };
}
