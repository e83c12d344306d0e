import { alertAcknowledged, alertFiring, alertResolved } from './alert-changes.js';
import { domainExpiring } from './domain-expiring.js';
import { monitorAcknowledged } from './monitor-acknowledged.js';
import { monitorArchived } from './monitor-archived.js';
import { monitorDegraded } from './monitor-degraded.js';
import { monitorDeleted } from './monitor-deleted.js';
import { monitorDown } from './monitor-down.js';
import { monitorFlapping } from './monitor-flapping.js';
import { monitorNoData } from './monitor-no-data.js';
import { monitorPaused } from './monitor-paused.js';
import { monitorResolved } from './monitor-resolved.js';
import { monitorResumed } from './monitor-resumed.js';
import { monitorUp } from './monitor-up.js';
import { nodeBanned } from './node-banned.js';
import { nodeOffline } from './node-offline.js';
import { nodeOnline } from './node-online.js';
import { nodeUnhealthy } from './node-unhealthy.js';
import { sslExpiring } from './ssl-expiring.js';
import { webhookTest } from './webhook-test.js';

/**
 * The one list of kinds that are sent. Subscriptions, payloads, `GET /v1/webhooks/event-types` and the OpenAPI document derive
 * from it: a new kind is one file and one line here.
 */
export const webhookKinds = {
  'monitor.down': monitorDown,
  'monitor.degraded': monitorDegraded,
  'monitor.up': monitorUp,
  'monitor.acknowledged': monitorAcknowledged,
  'monitor.resolved': monitorResolved,
  'monitor.paused': monitorPaused,
  'monitor.resumed': monitorResumed,
  'monitor.archived': monitorArchived,
  'monitor.deleted': monitorDeleted,
  'monitor.flapping': monitorFlapping,
  'monitor.no_data': monitorNoData,
  'ssl.expiring': sslExpiring,
  'domain.expiring': domainExpiring,
  'node.unhealthy': nodeUnhealthy,
  'node.online': nodeOnline,
  'node.offline': nodeOffline,
  'node.banned': nodeBanned,
  'alert.firing': alertFiring,
  'alert.acknowledged': alertAcknowledged,
  'alert.resolved': alertResolved,
  'webhook.test': webhookTest,
};

/** A kind of the list. */
export type WebhookKindName = keyof typeof webhookKinds;

/** Names of all kinds of the list. */
export const webhookKindNames = Object.keys(webhookKinds) as WebhookKindName[];

/** Kinds of the API that nothing sends yet: a subscription to one is refused as not supported. */
export const laterKinds: readonly string[] = [
  'certificate.issued',
  'certificate.failed',
  'verdict.completed',
  'compliance.report_ready',
  'agent_obs.failure',
  'agent_obs.budget_exceeded',
];
