// Limit of the bytes of one lane in flight, so that heartbeats and the other lane never wait long behind them. Each
// acknowledgement measures the rate of the lane; the bytes of a round trip and two seconds more may be in flight, in
// batches of a quarter of that, so that the line is busy while acknowledgements travel:
//
//   sent ─ batch ─ batch ─ batch ─ batch ─> acknowledged: bytes since the one before it was sent / time since then = rate
//   └────── rate x (round trip + 2 s) ─────┘

const LEAST_BYTES = 16 * 1024;
const FIRST_BYTES = 32 * 1024;
const MOST_BYTES = 1024 * 1024;
/** Longest time for which a byte may wait behind others of its lane. */
const QUEUE_MS = 2_000;
const BATCHES = 4;
/** Idle time after which a line may have changed, in milliseconds. */
const IDLE_MS = 10_000;
/** The best of so many measurements counts: one that was held up says nothing of the line. */
const KEPT_RATES = 4;

interface Sent {
  readonly last: number;
  readonly bytes: number;
  /** Bytes delivered when this was sent, and the time of the newest delivery until then. */
  readonly deliveredBytes: number;
  readonly deliveredMs: number;
  readonly sentMs: number;
  /** The window was used up while this was on its way; otherwise the line could have taken more. */
  isFull: boolean;
}

/** Bytes that may be in flight on a line that delivers `bytesPerMs` and answers in `roundTripMs` when it is empty. */
export function windowBytes(bytesPerMs: number, roundTripMs: number): number {
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, Math.round(bytesPerMs * (roundTripMs + QUEUE_MS))));
}

/** Decides how many bytes of one lane may be sent and not acknowledged. Pure: times are passed in, monotonic milliseconds. */
export class SendWindow {
  #windowBytes = FIRST_BYTES;
  #inFlight: Sent[] = [];
  #inFlightBytes = 0;
  #deliveredBytes = 0;
  #deliveredMs = 0;
  #rates: number[] = [];
  #roundTripMs: number;

  /** Creates the window of a link whose handshake took `roundTripMs` from request to reply. */
  constructor(roundTripMs: number) {
    this.#roundTripMs = roundTripMs;
  }

  get inFlightBytes(): number {
    return this.#inFlightBytes;
  }

  /** The size of the next batch beyond its first row; 0: wait. Rows seldom fill one: half of the room for it will do. */
  get batchBytes(): number {
    const batchBytes = Math.floor(this.#windowBytes / BATCHES);
    return this.#inFlight.length === 0 || this.#roomBytes >= batchBytes / 2 ? batchBytes : 0;
  }

  get #roomBytes(): number {
    return this.#windowBytes - this.#inFlightBytes;
  }

  /** A batch through number `last` was handed to the socket. */
  sent(last: number, bytes: number, nowMs: number): void {
    if (this.#inFlight.length === 0) this.#beginAfterIdle(nowMs);
    const delivered = { deliveredBytes: this.#deliveredBytes, deliveredMs: this.#deliveredMs };
    this.#inFlight.push({ last, bytes, ...delivered, sentMs: nowMs, isFull: false });
    this.#inFlightBytes += bytes;
    if (this.batchBytes === 0) for (const sent of this.#inFlight) sent.isFull = true;
  }

  /** Records that everything through `mark` has arrived. */
  acknowledged(mark: number, nowMs: number): void {
    let newest: Sent | null = null;
    for (let first = this.#inFlight[0]; first !== undefined && first.last <= mark; first = this.#inFlight[0]) {
      this.#inFlight.shift();
      this.#inFlightBytes -= first.bytes;
      this.#deliveredBytes += first.bytes;
      newest = first;
    }
    if (newest === null) return;
    this.#deliveredMs = nowMs;
    this.#learn(newest, nowMs);
  }

  /** Marks everything in flight as unsent, because it is sent again. */
  rewind(): void {
    this.#inFlight = [];
    this.#inFlightBytes = 0;
  }

  /** Restarts the measurement of the rate after an idle period. */
  #beginAfterIdle(nowMs: number): void {
    if (nowMs - this.#deliveredMs > IDLE_MS) {
      this.#rates = [];
      this.#windowBytes = Math.min(this.#windowBytes, FIRST_BYTES);
    }
    this.#deliveredMs = nowMs;
  }

  #learn({ deliveredBytes, deliveredMs, sentMs, isFull }: Sent, nowMs: number): void {
    this.#roundTripMs = Math.min(this.#roundTripMs, nowMs - sentMs);
    const bytesPerMs = (this.#deliveredBytes - deliveredBytes) / Math.max(1, nowMs - deliveredMs);
    if (!isFull && bytesPerMs <= Math.max(0, ...this.#rates)) return;
    this.#rates = [...this.#rates, bytesPerMs].slice(-KEPT_RATES);
    const next = windowBytes(Math.max(...this.#rates), this.#roundTripMs);
    // the few rows of a quiet lane do not measure the capacity of the line
    this.#windowBytes = isFull ? next : Math.max(this.#windowBytes, next);
  }
}
