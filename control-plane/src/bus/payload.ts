import { type BusMessage, isBusMessage } from './bus.js';

// What travels, whatever carries it: {"from":"rep_…","message":{"type":"jobs","ids":["pt_…"]}} in UTF-8.

/** Larger ones are nobody's we know: the outbox makes messages of 8 000 bytes at most. */
const MAX_PAYLOAD_CHARACTERS = 65_536;

/** What was received: a message, or something to pass over. */
export type Received =
  | { readonly kind: 'message'; readonly from: string; readonly message: BusMessage }
  /** Sent by a version that says more than this one. */
  | { readonly kind: 'unknown'; readonly from: string }
  /** Of somebody else: whoever may use the database or the message server may put anything there. */
  | { readonly kind: 'foreign' };

/** A message as it travels. */
export function encodePayload(from: string, message: BusMessage): string {
  return JSON.stringify({ from, message });
}

/** Never throws. */
export function parsePayload(payload: string): Received {
  if (payload.length > MAX_PAYLOAD_CHARACTERS) return { kind: 'foreign' };
  try {
    const { from, message } = JSON.parse(payload);
    if (typeof from !== 'string') return { kind: 'foreign' };
    if (isBusMessage(message)) return { kind: 'message', from, message: { type: message.type, ids: message.ids } };
    return typeof message?.type === 'string' ? { kind: 'unknown', from } : { kind: 'foreign' };
  } catch {
    return { kind: 'foreign' };
  }
}
