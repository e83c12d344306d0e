import type { DeliveryActs } from './delivery-acts.js';
import type { EndpointActs } from './endpoint-acts.js';

/** Operations of webhook endpoints, for routes. */
export interface Webhooks {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly endpoints: EndpointActs;
  readonly deliveries: DeliveryActs;
}

declare module '../../http/route.js' {
  interface Services {
    readonly webhooks: Webhooks;
  }
}
