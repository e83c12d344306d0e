// oxlint-disable-next-line import/no-unassigned-import -- has to run before the generated classes load
import './plain-numbers.js';
import { vantage } from '#generated/link.js';
import { BoundedReader } from './bounded-reader.js';
import type { Lane } from './lanes.js';
import { MAX_FRAME_BYTES } from './limits.js';

export { type Lane, lanes } from './lanes.js';

// NOTE: field numbers and meanings are defined only in proto/link.proto; this file gives the generated classes readable
// names, and one function each to encode and decode.

const v1 = vantage.link.v1;

export type AgentFrame = vantage.link.v1.AgentFrame.$Properties;
export type ServerFrame = vantage.link.v1.ServerFrame.$Properties;
/** Type of a decoded message: absent scalars, bytes and lists hold their zero, absent messages are null. */
type Decoded<M> = { [K in Exclude<keyof M, '$unknowns'>]-?: DecodedField<NonNullable<M[K]>> };
type DecodedField<F> = F extends Uint8Array
  ? F
  : F extends (infer E)[]
    ? DecodedElement<E>[]
    : F extends object
      ? Decoded<F> | null
      : F;
type DecodedElement<E> = E extends object ? Decoded<E> : E;

/** `body` of a frame that only a newer build knows; no member is set. */
export const UNKNOWN_BODY = 'unknown';
const LENGTH_DELIMITED = 2;
/** A frame has one body; a newer protocol may add other fields. */
const MAX_FIELDS_AT_TOP = 16;

/** A decoded frame: exactly one of its members is set, named by `body`, or none: UNKNOWN_BODY. */
export type DecodedAgentFrame = DecodedFrame<AgentFrame>;
export type DecodedServerFrame = DecodedFrame<ServerFrame>;
type DecodedFrame<F extends { body?: string }> = Omit<Decoded<F>, 'body'> & {
  readonly body: NonNullable<F['body']> | typeof UNKNOWN_BODY;
};
/** A decoded result: every field set. */
export type DecodedResult = Decoded<ResultMessage>;
export type ResultMessage = vantage.link.v1.Result.$Properties;

export const LaneCode = v1.Lane;
export const CloseReasonCode = v1.CloseReason;

const laneCodes: Record<Lane, vantage.link.v1.Lane> = { task: v1.Lane.LANE_TASK, check: v1.Lane.LANE_CHECK };

/** A frame that is not one: too large, too many fields, truncated, numbers out of range, no body. */
export class MalformedFrameError extends Error {
  override readonly name = 'MalformedFrameError';
}

export function laneCode(lane: Lane): vantage.link.v1.Lane {
  return laneCodes[lane];
}

/** @throws MalformedFrameError for a number that names no lane */
export function laneName(code: number | null | undefined): Lane {
  if (code === v1.Lane.LANE_TASK) return 'task';
  if (code === v1.Lane.LANE_CHECK) return 'check';
  throw new MalformedFrameError(`unknown lane ${String(code)}`);
}

/**
 * Name of a lane in a list of lanes; null for one that only a newer build knows and that this one ignores.
 * @throws MalformedFrameError for 0, which names no lane
 */
export function findLaneName(code: number | null | undefined): Lane | null {
  return typeof code === 'number' && code > v1.Lane.LANE_CHECK ? null : laneName(code);
}

/** Bytes of one frame, for one WebSocket message. */
export function encodeAgentFrame(frame: AgentFrame): Uint8Array {
  return v1.AgentFrame.encode(frame).finish();
}

/** Bytes of one frame, for one WebSocket message. */
export function encodeServerFrame(frame: ServerFrame): Uint8Array {
  return v1.ServerFrame.encode(frame).finish();
}

/** @throws MalformedFrameError */
export function decodeAgentFrame(bytes: Uint8Array): DecodedAgentFrame {
  // protobufjs puts the zero of every absent field on the class's prototype; its declarations do not say so
  return decodeFrame(bytes, (input) => v1.AgentFrame.decode(input)) as unknown as DecodedAgentFrame;
}

/** @throws MalformedFrameError */
export function decodeServerFrame(bytes: Uint8Array): DecodedServerFrame {
  return decodeFrame(bytes, (input) => v1.ServerFrame.decode(input)) as unknown as DecodedServerFrame;
}

/** Bytes of one result as a spool keeps it. */
export function encodeResult(result: ResultMessage): Uint8Array {
  return v1.Result.encode(result).finish();
}

/** @throws MalformedFrameError */
export function decodeResult(bytes: Uint8Array): DecodedResult {
  const result = decodeMessage(bytes, (input) => v1.Result.decode(input));
  requireSoundNumbers(result);
  return result as unknown as DecodedResult;
}

function decodeMessage<M>(bytes: Uint8Array, decode: (reader: BoundedReader) => M): M {
  if (bytes.length > MAX_FRAME_BYTES) throw new MalformedFrameError(`${bytes.length} bytes are not a frame`);
  return whole(() => decode(new BoundedReader(bytes)));
}

function whole<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new MalformedFrameError('malformed frame', { cause });
  }
}

function decodeFrame<F extends { body?: string }>(bytes: Uint8Array, decode: (reader: BoundedReader) => F): F {
  const isOfMessages = whole(() => surveyTop(bytes));
  const frame = decodeMessage(bytes, decode);
  // the generated class computes `body` from the members that are set
  if (frame.body === undefined && isOfMessages)
    return Object.defineProperty(frame, 'body', { value: UNKNOWN_BODY, enumerable: true });
  if (frame.body === undefined) throw new MalformedFrameError('frame without a body');
  requireSoundNumbers(frame);
  return frame;
}

/**
 * Counts the bodies of a frame before any is decoded, because each of 16 000 cost an object (2026-11). True if the
 * frame consists of messages only; a newer protocol may have messages under unknown numbers.
 * @throws RangeError after more of them than any protocol has
 */
function surveyTop(bytes: Uint8Array): boolean {
  const reader = new BoundedReader(bytes, MAX_FIELDS_AT_TOP);
  let isOfMessages = reader.len > 0;
  while (reader.pos < reader.len) {
    const wireType = reader.tag() & 7;
    if (wireType !== LENGTH_DELIMITED) isOfMessages = false;
    reader.skipType(wireType);
  }
  return isOfMessages;
}

/** Numbers fit 2^53: a larger one was rounded on its way in, and NaN compares with nothing. */
function requireSoundNumbers(value: unknown): void {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new MalformedFrameError(`number ${value} out of range`);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  for (const member of Object.values(value)) requireSoundNumbers(member);
}
