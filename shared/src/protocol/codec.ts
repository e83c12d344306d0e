// oxlint-disable-next-line import/no-unassigned-import -- has to run before the generated classes load
import './plain-numbers.js';
import { vantage } from '#generated/link.js';
import type { Lane } from './lanes.js';
import { MAX_FRAME_BYTES } from './limits.js';

export { type Lane, lanes } from './lanes.js';

// NOTE: the field numbers and meanings stand in proto/link.proto and nowhere else; this file only gives the
// generated classes names people use, and one way in and out.

const v1 = vantage.link.v1;

export type AgentFrame = vantage.link.v1.AgentFrame.$Properties;
export type ServerFrame = vantage.link.v1.ServerFrame.$Properties;
/** What decoding makes of a message: absent scalars, bytes and lists hold their zero, absent messages are null. */
type Decoded<M> = { [K in Exclude<keyof M, '$unknowns'>]-?: DecodedField<NonNullable<M[K]>> };
type DecodedField<F> = F extends Uint8Array
  ? F
  : F extends (infer E)[]
    ? DecodedElement<E>[]
    : F extends object
      ? Decoded<F> | null
      : F;
type DecodedElement<E> = E extends object ? Decoded<E> : E;

/** A decoded frame: exactly one of its members is set, named by `body`. */
export type DecodedAgentFrame = Decoded<AgentFrame> & { readonly body: string };
export type DecodedServerFrame = Decoded<ServerFrame> & { readonly body: string };
/** A decoded result: every field set. */
export type DecodedResult = Decoded<ResultMessage>;
export type ResultMessage = vantage.link.v1.Result.$Properties;

export const LaneCode = v1.Lane;
export const CloseReasonCode = v1.CloseReason;

const laneCodes: Record<Lane, vantage.link.v1.Lane> = { task: v1.Lane.LANE_TASK, check: v1.Lane.LANE_CHECK };

/** A frame that is not one: too large, truncated, numbers out of range, no body, or one this build does not know. */
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

function decodeMessage<M>(bytes: Uint8Array, decode: (bytes: Uint8Array) => M): M {
  if (bytes.length > MAX_FRAME_BYTES) throw new MalformedFrameError(`${bytes.length} bytes are no frame`);
  try {
    return decode(bytes);
  } catch (cause) {
    throw new MalformedFrameError('malformed frame', { cause });
  }
}

function decodeFrame<F extends { body?: string }>(bytes: Uint8Array, decode: (bytes: Uint8Array) => F): F {
  const frame = decodeMessage(bytes, decode);
  if (frame.body === undefined) throw new MalformedFrameError('frame without a known body');
  requireSoundNumbers(frame);
  return frame;
}

/** Numbers fit 2^53: a larger one was rounded on its way in, and NaN compares with nothing. */
function requireSoundNumbers(value: unknown): void {
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    throw new MalformedFrameError(`number ${value} out of range`);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return;
  for (const member of Object.values(value)) requireSoundNumbers(member);
}
