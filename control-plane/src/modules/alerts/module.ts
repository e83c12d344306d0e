import { MAX_EXPORTED } from '../../owners/index.js';
import { defineModule } from '../module.js';
import { alertActions } from './actions.js';
import { alertRevocation, releaseAlerts } from './alert-release.js';
import { listChannels } from './channels/channel-store.js';
import { alertGroups } from './groups/alert-groups.js';
import { alertMails } from './mails/index.js';
import { AlertMetrics } from './metrics.js';
import { openAlerts } from './open-alerts.js';
import { openRuntime } from './open-runtime.js';
import { listPolicies } from './policies/policy-store.js';
import { policyView } from './policies/policy-view.js';
import { lookAgain } from './relay/look-again.js';
import { neededByAlerts } from './relay/needed-alerts.js';
import { alertRoutes } from './routes.js';
import { alertSilences } from './silences/alert-silences.js';

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
      export: async (owner) => {
        const [all, nowMs] = [{ limit: MAX_EXPORTED, offset: 0 }, house.clock.now()];
        const channels = await listChannels(house.db, owner, {}, all);
        const policies = await listPolicies(house.db, owner, all);
        return {
          alert_channels: channels.rows.map((row) => parts.alerts.channels.view(row)),
          alert_policies: policies.rows.map(policyView),
          alert_silences: await alertSilences.exportOf(house.db, owner, nowMs),
          alert_groups: await alertGroups.exportOf(house.db, owner, nowMs),
        };
      },
    };
  },
});
