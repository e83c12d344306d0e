import { type KindDefinition, type WebhookEventKind, webhookEventKinds } from '../../../events/index.js';
import { webhookTest } from './webhook-test.js';

/** Kind of webhook: what receivers get, and who they are. */
export interface WebhookKind extends Omit<KindDefinition['webhook'], 'eventExample' | 'dataOf'> {
  /** Type of the subject, whose owner receives the webhook. */
  readonly subject: string;
}

/** Kinds that are sent: one for each kind of event that makes a webhook, and the test of an endpoint. */
export type WebhookKindName = WebhookEventKind | 'webhook.test';

const subjectWords: Readonly<Partial<Record<KindDefinition['subject'], string>>> = { alertEvent: 'alert event' };

const ofEvents = Object.entries(webhookEventKinds).map(([name, { subject, webhook }]) => [
  name,
  { ...webhook, subject: subjectWords[subject] ?? subject },
]);

/** Kinds that are sent. Subscriptions, payloads, `GET /v1/webhooks/event-types` and the OpenAPI document derive from them. */
export const webhookKinds: Readonly<Record<WebhookKindName, WebhookKind>> = {
  ...Object.fromEntries(ofEvents),
  'webhook.test': webhookTest,
};

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
