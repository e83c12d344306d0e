import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import type { SimulatedProcess } from './process.js';
import type { Direction, Way } from './way.js';

const CONNECTING = 0;
const OPEN = 1;
const CLOSING = 2;
const CLOSED = 3;
/** Bytes in flight that the kernels of both machines buffer. */
const KERNEL_BYTES = 256 * 1024;
const ABNORMAL = 1006;

type Packet = { readonly message: Uint8Array } | { readonly close: number };

interface Handlers {
  open: () => void;
  message: (data: Buffer, isBinary: boolean) => void;
  error: (error: Error) => void;
  close: (code: number) => void;
}

// One end of a WebSocket over TCP: in order, nothing twice, cut off anywhere.
//
//   send ──> packets on their way ──latency, while not blocked──> the peer's inbox ──unless paused──> 'message'

/** A WebSocket as `ws` has it, over a network that is simulated. */
export class SimulatedSocket implements LinkSocket {
  readonly OPEN = OPEN;
  readyState = CONNECTING;
  bufferedAmount = 0;
  onReceived: (message: Uint8Array) => void = () => undefined;
  readonly process: SimulatedProcess;
  readonly #way: Way;
  readonly #direction: Direction;
  readonly #tap: { readonly onSent?: (message: Uint8Array) => void };
  readonly #handlers: { [E in keyof Handlers]?: Handlers[E][] } = {};
  readonly #underway: { readonly packet: Packet; readonly bytes: number; readonly done?: (() => void) | undefined }[] =
    [];
  readonly #inbox: Packet[] = [];
  #isMoving = false;
  #isPaused = false;
  #isDelivering = false;
  #hasSentClose = false;
  #peer: SimulatedSocket | null = null;
  #onGivenUp: () => void = () => undefined;

  constructor(
    process: SimulatedProcess,
    way: Way,
    direction: Direction,
    tap: { readonly onSent?: (message: Uint8Array) => void },
  ) {
    this.process = process;
    this.#way = way;
    this.#direction = direction;
    this.#tap = tap;
    process.onDeath(() => this.#die());
  }

  /** True if no process is at this end any more. */
  get isGivenUp(): boolean {
    return this.readyState === CLOSED || this.process.isDead;
  }

  /** True if it is open, and what is sent reaches the other end eventually. */
  get isJoined(): boolean {
    return this.readyState === OPEN && this.#peer?.isGivenUp === false;
  }

  on<E extends keyof Handlers>(event: E, handler: Handlers[E]): this {
    (this.#handlers[event] ??= [] as never).push(handler as never);
    return this;
  }

  once(event: 'close', handler: () => void): this {
    let isDone = false;
    return this.on(event, () => {
      if (!isDone) handler();
      isDone = true;
    });
  }

  send(message: Uint8Array, done?: () => void): void {
    if (this.readyState !== OPEN) return done?.();
    this.#tap.onSent?.(message);
    this.#put({ message }, message.length, done);
  }

  close(code: number): void {
    if (this.readyState === CONNECTING) return this.terminate();
    if (this.readyState !== OPEN) return;
    this.readyState = CLOSING;
    this.#sendClose(code);
  }

  terminate(): void {
    if (this.readyState === CLOSED) return;
    this.#drop();
    this.#peer?.reset();
    this.process.after(0, () => this.#emitClose(ABNORMAL));
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  /** The two ends of one connection learn of each other. */
  join(peer: SimulatedSocket, onGivenUp: () => void): void {
    this.#peer = peer;
    this.#onGivenUp = onGivenUp;
    if (this.#direction === 'down') this.readyState = OPEN;
  }

  /** The dial has succeeded. */
  opened(): void {
    this.process.after(0, () => {
      if (this.readyState !== CONNECTING) return;
      this.readyState = OPEN;
      this.#emit('open');
    });
  }

  /** The dial has failed. */
  refuse(): void {
    this.process.after(0, () => {
      if (this.readyState !== CONNECTING) return;
      this.#drop();
      this.#emit('error', new Error('connect ECONNREFUSED'));
      this.#emitClose(ABNORMAL);
    });
  }

  /** The connection is gone; this end hears of it when something gets through to it. */
  reset(): void {
    const towards = this.#direction === 'up' ? 'down' : 'up';
    this.#through(towards, this.#way.latencyMs, () => {
      this.process.after(0, () => {
        if (this.readyState === CLOSED) return;
        this.#drop();
        this.#emitClose(ABNORMAL);
      });
    });
  }

  /** The machine at the other end has vanished without a word: nothing comes, and what is sent goes nowhere. */
  lose(): void {
    this.#peer = null;
    this.#underway.length = 0;
  }

  /** Calls back after `ms` that this direction was open for. */
  whenThrough(ms: number, then: () => void): void {
    this.#through('up', ms, () => this.#through('down', 0, then));
  }

  #die(): void {
    if (this.readyState === CLOSED) return;
    this.#drop();
    this.#peer?.reset();
  }

  #drop(): void {
    this.readyState = CLOSED;
    for (const { done } of this.#underway) done?.();
    // packets that were sent may still arrive, others never will
    this.#underway.length = this.#way.random.integer(0, this.#underway.length);
    this.#inbox.length = 0;
    this.bufferedAmount = 0;
    this.#onGivenUp();
  }

  #emitClose(code: number): void {
    this.#emit('close', code);
  }

  #emit<E extends keyof Handlers>(event: E, ...args: Parameters<Handlers[E]>): void {
    for (const handler of this.#handlers[event] ?? []) (handler as (...values: unknown[]) => void)(...args);
  }

  #sendClose(code: number): void {
    if (this.#hasSentClose) return;
    this.#hasSentClose = true;
    this.#put({ close: code }, 4, undefined);
  }

  #put(packet: Packet, bytes: number, done: (() => void) | undefined): void {
    this.#underway.push({ packet, bytes, done });
    this.#countBuffered();
    this.#move();
  }

  /** Bytes that the kernels don't take any more. */
  #countBuffered(): void {
    const bytes = this.#underway.reduce((sum, packet) => sum + packet.bytes, 0);
    this.bufferedAmount = Math.max(0, bytes - KERNEL_BYTES);
  }

  #move(): void {
    const [next] = this.#underway;
    if (this.#isMoving || next === undefined) return;
    this.#isMoving = true;
    const { latencyMs, jitterMs, bytesPerSecond, random } = this.#way;
    const delayMs = latencyMs + random.next() * jitterMs + (next.bytes / bytesPerSecond) * 1000;
    this.#through(this.#direction, delayMs, () => {
      this.#isMoving = false;
      const arrived = this.#underway.splice(0, this.#way.bytesPerSecond === Number.POSITIVE_INFINITY ? 1_000 : 1);
      this.#countBuffered();
      for (const { packet, done } of arrived) {
        this.#peer?.take(packet);
        if (done !== undefined && !this.process.isDead) this.process.after(0, done);
      }
      this.#move();
    });
  }

  /** Takes a packet of the peer that has reached this machine. */
  take(packet: Packet): void {
    if (this.isGivenUp) return;
    this.#inbox.push(packet);
    this.#deliver();
  }

  #deliver(): void {
    if (this.#isDelivering || this.#inbox.length === 0) return;
    this.#isDelivering = true;
    this.process.after(0, () => {
      this.#isDelivering = false;
      if (this.#isPaused || this.readyState === CLOSED) return;
      const packet = this.#inbox.shift();
      if (packet !== undefined) this.#receive(packet);
      this.#deliver();
    });
  }

  #receive(packet: Packet): void {
    if ('message' in packet) {
      this.onReceived(packet.message);
      return this.#emit('message', Buffer.from(packet.message), true);
    }
    this.#sendClose(packet.close);
    // the reply still has to be sent
    const underway = this.#underway.splice(0);
    this.#drop();
    this.#underway.push(...underway);
    this.#move();
    this.#emitClose(packet.close);
  }

  #through(direction: Direction, delayMs: number, then: () => void): void {
    const way = this.#way;
    const world = this.process.world;
    world.carry(delayMs, () => {
      if (!way.isBlocked[direction]) return then();
      const forget = way.onUnblocked(() => {
        if (way.isBlocked[direction]) return;
        forget();
        // TCP tries again at growing intervals
        world.carry(way.random.between(0, 1_000), then);
      });
    });
  }
}
