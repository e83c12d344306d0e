import type { Decision } from '@vantage/shared/alerts/decision.js';
import type { JoinCause } from '@vantage/shared/alerts/joining.js';
import type { AlertType } from '@vantage/shared/alerts/policy.js';

/** Reasons why alerts are joined in one message. */
export type DigestCause = 'group' | JoinCause;

/** Metrics of alerts. */
export interface AlertCounts {
  countAlert(type: AlertType, change: Decision['changes'][number]): void;
  /** Counts a message about several alerts. */
  countDigest(cause: DigestCause): void;
}
