import { type EventKind, eventKinds, type PayloadContext } from '../../events/index.js';
import type { ServerEvent } from '../../http/route.js';
import type { EventRow } from './store.js';

/** Greatest size of the data of a frame. */
export const MAX_FRAME_BYTES = 16_384;

/** A frame, and its size in bytes. */
export interface Frame extends ServerEvent {
  readonly bytes: number;
}

/** Measures a frame. */
export function frameOf(event: ServerEvent): Frame {
  return { ...event, bytes: Buffer.byteLength(JSON.stringify(event.data)) };
}

/** The frame of an event: what webhooks send of it in the full form, or ids alone where that is too large. */
export function eventFrame(row: EventRow, context: PayloadContext): Frame {
  const { event_id: id, kind, is_test: test, created_at: at, payload } = row;
  const head = { type: kind, timestamp: at.toISOString(), test };
  const definition = eventKinds[kind as EventKind];
  const data = definition.shown.dataOf(payload, context) as never;
  const whole = frameOf({ event: kind, id, data: { ...head, ...(data as object) } });
  if (whole.bytes <= MAX_FRAME_BYTES || definition.webhook === null) return whole;
  return frameOf({ event: kind, id, data: { ...head, truncated: true, ...definition.webhook.thinOf(data) } });
}
