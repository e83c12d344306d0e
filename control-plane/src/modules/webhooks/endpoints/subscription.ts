import type { FieldError, FieldErrors } from '@vantage/shared/validation.js';
import { ApiError } from '../../../http/errors.js';
import { laterKinds, webhookKindNames } from '../kinds/index.js';

/** Events that an endpoint receives. */
export interface Subscription {
  /** Names of kinds, prefixes such as `monitor.*`, or `*`. */
  readonly events: readonly string[];
  /** Only events of these monitors; null for those of all monitors and of nodes. */
  readonly monitorIds: readonly string[] | null;
  /** Only events of monitors with one of these tags; null for those of all monitors and of nodes. */
  readonly tagsAny: readonly string[] | null;
}

/** Event to be matched. */
export interface Matched {
  readonly kind: string;
  readonly subject: string;
  /** Tags of the monitor; null if the subject is not a monitor. */
  readonly tags: readonly string[] | null;
}

/** True if an event is to be sent to the endpoint. Both parts of a filter must match; an event of a node matches no filter. */
export function matches({ events, monitorIds, tagsAny }: Subscription, { kind, subject, tags }: Matched): boolean {
  if (!events.some((pattern) => covers(pattern, kind))) return false;
  if (monitorIds === null && tagsAny === null) return true;
  if (tags === null) return false;
  return (monitorIds?.includes(subject) ?? true) && (tagsAny?.some((tag) => tags.includes(tag)) ?? true);
}

function covers(pattern: string, kind: string): boolean {
  return pattern === '*' || pattern === kind || (pattern.endsWith('.*') && kind.startsWith(pattern.slice(0, -1)));
}

/**
 * Checks the kinds of a subscription.
 * @throws ApiError VALIDATION_FAILED: 400 for unknown kinds, else 422 for kinds that nothing sends yet
 */
export function checkEvents(events: readonly string[]): void {
  const unknown = complaints(events, [...webhookKindNames, ...laterKinds], {
    code: 'enum',
    message: 'is not a kind of event; GET /v1/webhooks/event-types lists them',
  });
  if (Object.keys(unknown).length > 0) throw new ApiError('VALIDATION_FAILED', { details: unknown });
  const later = complaints(events, webhookKindNames, {
    code: 'not_supported',
    message: 'is not sent by this version; GET /v1/webhooks/event-types lists the kinds that are',
  });
  if (Object.keys(later).length > 0) throw new ApiError('VALIDATION_FAILED', { status: 422, details: later });
}

function complaints(events: readonly string[], kinds: readonly string[], complaint: FieldError): FieldErrors {
  const bad = events.flatMap((pattern, index) =>
    kinds.some((kind) => covers(pattern, kind)) ? [] : [[`events.${index}`, [complaint]] as [string, FieldError[]]],
  );
  return Object.fromEntries(bad);
}
