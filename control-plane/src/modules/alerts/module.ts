import { defineModule } from '../module.js';
import { alertActions } from './actions.js';
import { alertRevocation, releaseAlerts } from './alert-release.js';
import { alertMails } from './mails/index.js';
import { AlertMetrics } from './metrics.js';
import { openAlerts } from './open-alerts.js';
import { openRuntime } from './open-runtime.js';
import { lookAgain } from './relay/look-again.js';
import { neededByAlerts } from './relay/needed-alerts.js';
import { alertRoutes } from './routes.js';

/** Alert channels and the messages that go to them; policies, silences and groups, which decide about these. */
export const alertsModule = defineModule({
  name: 'alerts',
  actions: alertActions,
  tags: {
    'Alert channels':
      'Destinations of alerts: e-mail, webhooks, chats, text messages, calls and incidents; their verification, tests and health.',
    'Alert events':
      'Alerts about monitors: when they opened, who was notified and why, acknowledgement and resolution.',
    'Alert policies': 'Who is notified of alerts of which monitors: rules, escalation, recovery and suppression.',
    'Alert silences': 'Periods during which no messages about alerts of some monitors are sent.',
    'Alert groups': 'Monitors whose alerts are joined in one message.',
    'Alert deliveries': 'The log of messages to channels: every attempt, the response of the receiver, and retries.',
  },
  routes: alertRoutes,
  mails: alertMails,
  metrics: AlertMetrics,
  open(house) {
    const parts = openAlerts(house, { needed: neededByAlerts(house.clock), lookAgain });
    const { acts, links, watch, consumers, upkeep } = openRuntime(house, parts);
    return {
      service: { ...parts.alerts, events: acts, links },
      startables: [parts.sender, watch],
      upkeep: [...parts.upkeep, ...upkeep],
      on: consumers,
      release: releaseAlerts,
      revocation: alertRevocation,
    };
  },
});
