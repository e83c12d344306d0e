import type { PolicyReferences } from '../monitors/index.js';
import type { ChannelActs } from './channels/channel-acts.js';
import type { DeliveryActs } from './channels/delivery-acts.js';
import type { TestSend } from './channels/test-send.js';
import type { Verification } from './channels/verification.js';
import type { LinkActs } from './links/link-acts.js';
import type { OperatorView } from './operator-view.js';
import type { PolicyActs } from './policies/policy-acts.js';
import type { AlertActs } from './relay/alert-acts.js';

/** Channels, deliveries, policies, silences and groups of alerts as routes know them. */
export interface Alerts {
  /** Milliseconds since the epoch. */
  now(): number;
  readonly channels: ChannelActs;
  readonly verification: Verification;
  readonly testSend: TestSend;
  readonly deliveries: DeliveryActs;
  readonly events: AlertActs;
  readonly links: LinkActs;
  readonly policies: PolicyActs;
  /** Policies as monitors refer to them. */
  readonly references: PolicyReferences;
  readonly operator: OperatorView;
}

declare module '../../http/route.js' {
  interface Services {
    readonly alerts: Alerts;
  }
}
