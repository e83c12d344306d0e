import { type Consumer, defineConsumer } from '../../../events/index.js';
import { alertingKinds } from './alerting-events.js';
import type { Relay } from './relay.js';

/** Changes alerts because of events of monitors. */
export function alertsOfMonitors(relay: Pick<Relay, 'handleEvents'>): Consumer {
  return defineConsumer({
    name: 'alerts.monitors',
    kinds: alertingKinds,
    handleAll: (events, { trx }) => relay.handleEvents(trx, events),
  });
}
