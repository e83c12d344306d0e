import type { MailParts } from '../mail/index.js';
import { Heartbeats } from '../modules/heartbeats/index.js';
import type { CountEvent } from '../modules/monitors/index.js';
import type { Foundation } from './foundation.js';

/** Monitors that wait for pings; nothing is noticed yet. */
export function wireHeartbeats(
  { db, agentsDb, publicUrl, secretKey, clock, log, monitorMetrics }: Foundation,
  mail: MailParts['mail'],
): Heartbeats {
  const [watchDb, ownLog] = [agentsDb, log.child({ part: 'heartbeats' })];
  const countEvent: CountEvent = (type, change) => monitorMetrics.countEvent(type, change);
  return new Heartbeats({ db, watchDb, mail, countEvent, publicUrl, secretKey, clock, log: ownLog });
}
