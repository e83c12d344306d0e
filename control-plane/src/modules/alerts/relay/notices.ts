import type { AlertPolicy } from '@vantage/shared/alerts/policy.js';
import { askRules } from '@vantage/shared/alerts/rules.js';
import type { Clock } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { Knex } from 'knex';
import type { Destinations } from '../deliveries/destination.js';
import type { WritingFor } from '../deliveries/new-deliveries.js';
import type { Outgoing } from '../deliveries/outgoing.js';
import type { Notice } from '../types/texts/facts.js';
import { noticeMessage } from '../types/texts/notice-message.js';
import type { MessageContext } from './alert-messages.js';

/** Notice that is about no alert, for the channels of a policy. */
export interface NewNotice {
  readonly isTest: boolean;
  readonly policy: AlertPolicy;
  /** Tags of the subject, in lower case. */
  readonly tags: readonly string[];
  /** Id of the subject: notices about it are one thread. */
  readonly subject: string;
  readonly notice: Notice;
  readonly sinceMs: number;
  /** Alert whose page shows more; absent: it is about nodes, and their list does. */
  readonly alertId?: string;
}

interface NoticesOptions {
  readonly clock: Clock;
  readonly destinations: Pick<Destinations, 'read'>;
  readonly outgoing: Pick<Outgoing, 'enqueue'>;
  readonly messages: Pick<MessageContext, 'pageUrl' | 'nodesUrl'>;
}

/** Sends notices, with severity warning. */
export class Notices {
  constructor(private readonly options: NoticesOptions) {}

  /** Queues notices for the channels of the rules that match now, in the caller's transaction. */
  async notify(trx: Knex, notices: readonly NewNotice[]): Promise<void> {
    if (notices.length === 0) return;
    const { clock, destinations, outgoing, messages: context } = this.options;
    const nowMs = clock.now();
    const asked = notices.map(({ policy, tags }) => askRules(policy, { severity: 'warning', tags }, nowMs));
    const found = await destinations.read(trx, [...new Set(asked.flat().map(({ choice }) => choice.channel_id))]);
    const messages = notices.flatMap(({ isTest, subject, notice, sinceMs, alertId }, index) => {
      const messageGroup = newId(idPrefixes.event, nowMs);
      return (asked[index] ?? []).flatMap(({ choice }) => {
        const destination = found.get(choice.channel_id);
        if (destination === undefined) return [];
        return [
          {
            destination,
            ...(choice.to === null ? {} : { to: choice.to }),
            ...(isTest ? { isTest: true as const } : {}),
            messageGroup,
            kind: 'notice' as const,
            alertIds: [],
            alertCount: 0,
            write: ({ id, ...audience }: WritingFor) => {
              const { channelId } = destination;
              const { recipient } = audience;
              const url =
                alertId === undefined ? context.nodesUrl : context.pageUrl(alertId, { id: channelId, recipient });
              return noticeMessage(
                { id, thread: `${notice.kind} ${subject}`, payload: {}, notice, sinceMs, url },
                audience,
              );
            },
          },
        ];
      });
    });
    if (messages.length > 0) await outgoing.enqueue(trx, messages);
  }
}
