export { Backlogs } from './backlogs.js';
export { Consumers } from './consumers.js';
export { credentialChanged } from './credential-changed.js';
export { EventPayloadError } from './errors.js';
export { type Consumer, defineConsumer, type EventContext, type EventOf, type NewEvent } from './event.js';
export { AlertRecordSchema } from './kinds/alert-kinds.js';
export {
  type EventKind,
  eventKinds,
  type PayloadOf,
  type WebhookEventKind,
  webhookEventKinds,
} from './kinds/index.js';
export { type KindDefinition, open, type PayloadContext } from './kinds/kind.js';
export { publish, publishAll } from './publish.js';
export { published } from './published.js';
export { type ConsumerBacklog, countBacklogs } from './store.js';
