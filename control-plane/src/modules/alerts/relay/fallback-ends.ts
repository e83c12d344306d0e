import type { Knex } from 'knex';
import { listFallbacks } from '../deliveries/delivery-store.js';
import type { Destination, Destinations } from '../deliveries/destination.js';
import type { NewMessage } from '../deliveries/new-deliveries.js';
import { type MessageContext, writeMessage } from './alert-messages.js';
import type { Decided } from './decided.js';

/** Messages about the end of alerts to the addresses of accounts that got them in place of their channels. */
export async function endMessagesOfFallbacks(
  trx: Knex,
  decided: readonly Decided[],
  {
    destinations,
    context,
  }: { readonly destinations: Pick<Destinations, 'readFallbacks'>; readonly context: MessageContext },
): Promise<NewMessage[]> {
  const ended = decided.filter(isEndToNotify);
  if (ended.length === 0) return [];
  const notified = await listFallbacks(trx, {
    alertIds: ended.map(({ row }) => row.id),
    sinceMs: Math.min(...ended.map(({ row }) => row.created_at.getTime())),
  });
  if (notified.size === 0) return [];
  const owners = ended.filter(({ row }) => notified.has(row.id)).map(({ row }) => row.owner_id);
  const addresses = await destinations.readFallbacks(trx, [...new Set(owners)]);
  return ended.flatMap((one) => {
    const destination = notified.has(one.row.id) ? addresses.get(one.row.owner_id) : undefined;
    return destination === undefined ? [] : [endMessage(one, destination, context)];
  });
}

/** True if an alert has ended, and its policy does not turn off notifications of ends. A silence may have kept it from all of its channels. */
function isEndToNotify({ decision, policy }: Decided): boolean {
  return decision.changes.includes('resolved') && (policy?.policy.on_recovery.notify ?? true);
}

function endMessage(decided: Decided, destination: Destination, context: MessageContext): NewMessage {
  const { row } = decided;
  return {
    destination,
    messageGroup: `${row.id} ${row.changes} fallback`,
    kind: 'resolved',
    alertIds: [row.id],
    alertCount: 1,
    isFallback: true,
    monitorId: row.monitor_id,
    ...(row.is_test ? { isTest: true } : {}),
    write: (writing) =>
      writeMessage(decided, { kind: 'resolved', severity: row.severity }, { destination, writing, context }),
  };
}
