import type { Clock } from '@vantage/shared/clock.js';
import type { ServerEvent } from '../../http/route.js';
import { type Frame, frameOf, MAX_FRAME_BYTES } from './frames.js';
import type { EventRow, Selection } from './store.js';

/** Frames that may wait for a reader, in bytes of their data. */
export const MAX_BEHIND_BYTES = 262_144;
const FRAMES_PER_SECOND = 20;
const SECOND_MS = 1_000;

export type ByeReason = 'expired' | 'revoked' | 'draining';
export type ResetReason = 'unknown_id' | 'too_old' | 'slow' | 'resync';

/** Fields of a subject in a state frame: the newest ones are sent. */
export interface StateItem {
  readonly id: string;
}

export type StateResource = 'monitor' | 'heartbeat';

/** One stream: what waits for its reader, and in which order and at which pace it is sent. */
export class Stream {
  readonly #waiting: Frame[] = [];
  #bytes = 0;
  readonly #state = new Map<StateResource, Map<string, StateItem>>();
  /** Ids of continued frames, which the replica may read once more. */
  readonly #continued = new Set<string>();
  readonly #cut = new AbortController();
  #bye: ByeReason | null = null;
  #isClosed = false;
  #wake = () => {};
  #sent = 0;
  #secondMs = 0;

  constructor(
    readonly selection: Selection,
    private readonly clock: Clock,
  ) {}

  /** Aborted when a stream that has ended was not read to its end within a second. */
  get cut(): AbortSignal {
    return this.#cut.signal;
  }

  /** True if it shows an event. */
  shows({ kind, is_test }: Pick<EventRow, 'kind' | 'is_test'>): boolean {
    const { kinds, isTest } = this.selection;
    return kinds.has(kind) && (is_test || !isTest);
  }

  /** Queues a frame; a reader that is too far behind gets a reset in place of all that waits. */
  offer(frame: Frame): void {
    if (this.#bye !== null || this.#isClosed) return;
    if (this.#bytes + frame.bytes > MAX_BEHIND_BYTES) this.reset('slow');
    else this.#push(frame);
  }

  /** Replaces the state of subjects that was not sent yet. */
  offerState(resource: StateResource, items: readonly StateItem[]): void {
    const waiting = this.#state.get(resource) ?? new Map<string, StateItem>();
    this.#state.set(resource, waiting);
    for (const item of items) waiting.set(item.id, item);
    this.#wake();
  }

  /** Drops all that waits: the reader reads again what it shows. */
  reset(reason: ResetReason): void {
    this.#waiting.length = 0;
    this.#bytes = 0;
    this.#state.clear();
    this.#push(frameOf({ event: 'reset', data: { reason } }));
  }

  /** Ends it with a last frame. What waits is not sent. */
  end(reason: ByeReason): void {
    if (this.#bye !== null || this.#isClosed) return;
    this.#bye = reason;
    this.#wake();
    this.clock.after(SECOND_MS, () => this.#cut.abort(), { unref: true });
  }

  /** Its reader has left. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Everything that is sent: `hello`, what a reader missed, then what comes. */
  async *frames(hello: unknown, missed: AsyncIterable<Frame>): AsyncGenerator<ServerEvent> {
    yield { event: 'hello', data: hello };
    for await (const frame of missed) {
      if (this.#hasEnded) break;
      if (frame.id !== undefined) this.#continued.add(frame.id);
      yield frame;
    }
    while (!this.#hasEnded) {
      const frame = this.#take();
      if (frame !== null) yield frame;
      await (frame === null ? this.#woken() : this.#paced());
    }
    if (this.#bye !== null) yield { event: 'bye', data: { reason: this.#bye } };
  }

  get #hasEnded(): boolean {
    return this.#bye !== null || this.#isClosed;
  }

  #push(frame: Frame): void {
    this.#waiting.push(frame);
    this.#bytes += frame.bytes;
    this.#wake();
  }

  #take(): ServerEvent | null {
    for (let frame = this.#waiting.shift(); frame !== undefined; frame = this.#waiting.shift()) {
      this.#bytes -= frame.bytes;
      if (frame.id === undefined || !this.#continued.has(frame.id)) return frame;
    }
    for (const [resource, waiting] of this.#state) if (waiting.size > 0) return stateFrame(resource, waiting);
    return null;
  }

  /** Resolves when there may be something to send. */
  async #woken(): Promise<void> {
    if (this.#hasEnded || this.#waiting.length > 0) return;
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
    this.#wake = () => {};
  }

  /** Resolves when the next frame may be sent. */
  async #paced(): Promise<void> {
    const nowMs = this.clock.monotonicMs();
    if (nowMs - this.#secondMs >= SECOND_MS) {
      this.#secondMs = nowMs;
      this.#sent = 0;
    }
    this.#sent += 1;
    if (this.#sent < FRAMES_PER_SECOND) return;
    let isOver = false;
    const cancel = this.clock.after(this.#secondMs + SECOND_MS - nowMs, () => {
      isOver = true;
      this.#wake();
    });
    while (!isOver && !this.#hasEnded)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#wake = () => {};
    cancel();
  }
}

/** As much of what waits as fits into a frame; it no longer waits. */
function stateFrame(resource: StateResource, waiting: Map<string, StateItem>): ServerEvent {
  const items: StateItem[] = [];
  let bytes = 100;
  for (const [id, item] of waiting) {
    bytes += Buffer.byteLength(JSON.stringify(item)) + 1;
    if (items.length > 0 && bytes > MAX_FRAME_BYTES) break;
    items.push(item);
    waiting.delete(id);
  }
  return { event: 'state', data: { resource, items } };
}
