import type { AgentFrame } from '@vantage/shared/protocol/codec.js';

/** Encoded bytes of one frame at most, beyond its first state: half of what a frame may hold. */
const MAX_FRAME_BYTES = 512 * 1024;
/** Bytes of one state at most; a larger one is left to the results. */
const MAX_STATE_BYTES = 64 * 1024;
/** States of one snapshot at most, those with the newest slots. */
const MAX_STATES = 10_000;
/** Greatest size of a state in addition to its texts, in bytes. */
const OVERHEAD_BYTES = 48;

/** The newest state of one thing this node watches. */
export interface WatchedState {
  /** Kind of state, as in results. */
  readonly kind: string;
  /** Id of the subject. */
  readonly subject: string;
  /** Generation of the assignment that the state was reached under. */
  readonly generation: number;
  /** Time at which the check of the state was due, server time, milliseconds since the epoch. */
  readonly slotMs: number;
  readonly stateJson: string;
}

/** Source of newest states; asked once for each link, which waits for it. */
export interface StateSource {
  newest(): Promise<readonly WatchedState[]>;
}

/** The sources of this agent: monitors bring theirs. */
export class StateSources {
  readonly #sources = new Set<StateSource>();
  readonly #onFailed: (error: unknown) => void;

  /** `onFailed` is called for a source that fails. */
  constructor(onFailed: (error: unknown) => void) {
    this.#onFailed = onFailed;
  }

  /** @returns how to take the source out again */
  add(source: StateSource): () => void {
    this.#sources.add(source);
    return () => this.#sources.delete(source);
  }

  /** States of all sources; a source that fails costs its own states but never the link. */
  async newest(): Promise<WatchedState[]> {
    const reads = [...this.#sources].map(async (source) => await source.newest());
    const settled = await Promise.allSettled(reads);
    for (const outcome of settled) if (outcome.status === 'rejected') this.#onFailed(outcome.reason);
    return settled.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []));
  }
}

/** A snapshot as it goes over the link: bounded, in frames of 512 KiB at most. */
export function snapshotFrames(states: readonly WatchedState[]): AgentFrame[] {
  const frames: { messages: NonNullable<NonNullable<AgentFrame['states']>['states']>; bytes: number }[] = [];
  for (const state of bounded(states)) {
    const stateJson = Buffer.from(state.stateJson);
    const bytes = stateJson.length + Buffer.byteLength(state.kind) + Buffer.byteLength(state.subject) + OVERHEAD_BYTES;
    let frame = frames.at(-1);
    if (frame === undefined || frame.bytes + bytes > MAX_FRAME_BYTES) frames.push((frame = { messages: [], bytes: 0 }));
    const { kind, subject, generation, slotMs } = state;
    frame.messages.push({ kind, subject, generation, slotMs, stateJson });
    frame.bytes += bytes;
  }
  return frames.map(({ messages }) => ({ states: { states: messages } }));
}

function bounded(states: readonly WatchedState[]): readonly WatchedState[] {
  const small = states.filter(({ stateJson }) => Buffer.byteLength(stateJson) <= MAX_STATE_BYTES);
  if (small.length <= MAX_STATES) return small;
  return [...small].sort((a, b) => b.slotMs - a.slotMs).slice(0, MAX_STATES);
}
