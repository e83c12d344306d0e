import type { MessageKind } from '../types/message.js';
import type { AttemptOutcome } from './counts.js';
import type { EndReason } from './needed.js';
import type { DeliveryStatus } from './next-state.js';

/** One attempt, as the log keeps it. */
export interface AttemptEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly duration_ms: number;
  readonly outcome: AttemptOutcome;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** Attempts of a delivery that are kept. */
export const KEPT_ATTEMPTS = 20;

/** Stored delivery. */
export interface DeliveryRow {
  readonly id: string;
  readonly owner_id: string;
  readonly is_test: boolean;
  readonly channel_id: string;
  readonly channel_name: string;
  readonly type: string;
  /** Null for types without recipients. */
  readonly recipient: string | null;
  readonly kind: MessageKind;
  readonly alert_ids: string[];
  readonly alert_count: number;
  readonly message_group: string;
  readonly thread: string;
  readonly priority: number;
  readonly title: string;
  readonly text: string;
  /** Sealed. */
  readonly message: Buffer;
  readonly status: DeliveryStatus;
  readonly reason: EndReason | null;
  readonly attempts: AttemptEntry[];
  readonly tries: number;
  readonly is_plain: boolean;
  readonly is_fallback: boolean;
  readonly may_have_arrived: boolean;
  readonly provider_id: string | null;
  readonly next_attempt_at: Date | null;
  readonly created_at: Date;
  readonly finished_at: Date | null;
}

/** Delivery as lists have it: without its message. */
export type ListedDelivery = Omit<DeliveryRow, 'message'>;

export const deliveryColumns: readonly string[] = Object.keys({
  id: true,
  owner_id: true,
  is_test: true,
  channel_id: true,
  channel_name: true,
  type: true,
  recipient: true,
  kind: true,
  alert_ids: true,
  alert_count: true,
  message_group: true,
  thread: true,
  priority: true,
  title: true,
  text: true,
  message: true,
  status: true,
  reason: true,
  attempts: true,
  tries: true,
  is_plain: true,
  is_fallback: true,
  may_have_arrived: true,
  provider_id: true,
  next_attempt_at: true,
  created_at: true,
  finished_at: true,
} satisfies Record<keyof DeliveryRow, true>);
