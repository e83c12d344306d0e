import type { AnyRoute } from '../../http/route.js';
import { alertGroups } from './groups/alert-groups.js';
import { acknowledgePageRoutes } from './routes/acknowledge-page.js';
import { acknowledgeAlertEvent, getAlertEvent, listAlertEvents, resolveAlertEvent } from './routes/alert-events.js';
import { resumeAlertRecipient, testAlertChannel, verifyAlertChannel } from './routes/channel-acts.js';
import {
  changeAlertChannel,
  createAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
  listAlertChannels,
} from './routes/channels.js';
import { getAlertDelivery, listAlertDeliveries, retryAlertDelivery } from './routes/deliveries.js';
import { endAlertSilence } from './routes/end-silence.js';
import { mailedLinkRoutes } from './routes/mailed-links.js';
import {
  changeAlertPolicy,
  createAlertPolicy,
  deleteAlertPolicy,
  getAlertPolicy,
  listAlertPolicies,
} from './routes/policies.js';
import { alertSilences } from './silences/alert-silences.js';

/** All operations on channels, policies, silences, groups and deliveries of alerts, and the pages that their mails link to. */
export const alertRoutes: readonly AnyRoute[] = [
  listAlertChannels,
  createAlertChannel,
  getAlertChannel,
  changeAlertChannel,
  deleteAlertChannel,
  testAlertChannel,
  verifyAlertChannel,
  resumeAlertRecipient,
  listAlertPolicies,
  createAlertPolicy,
  getAlertPolicy,
  changeAlertPolicy,
  deleteAlertPolicy,
  ...Object.values({ ...alertSilences.routes, delete: endAlertSilence }),
  ...Object.values(alertGroups.routes),
  listAlertDeliveries,
  getAlertDelivery,
  retryAlertDelivery,
  listAlertEvents,
  getAlertEvent,
  acknowledgeAlertEvent,
  resolveAlertEvent,
  ...mailedLinkRoutes,
  ...acknowledgePageRoutes,
];
