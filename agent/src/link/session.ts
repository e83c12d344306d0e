import {
  type DecodedServerFrame,
  decodeServerFrame,
  type Lane,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import { HANDSHAKE_TIMEOUT_MS } from '@vantage/shared/protocol/limits.js';
import { type UpgradeStatus, upgradeFrame } from '../upgrade/upgrades.js';
import { STEP_TIMEOUT_MS } from './dial-step.js';
import { CLOSE_TIMEOUT_MS, DialledSocket } from './dialled-socket.js';
import { OutdatedKeyError, WrongServerError } from './handshake.js';
import { KeepAlive } from './keep-alive.js';
import { KeyRotation } from './key-rotation.js';
import { LaneDelivery } from './lane-delivery.js';
import { endOfCloseFrame, type LinkEnd, type LinkEndKind } from './link-end.js';
import { OpenFrames } from './open-frames.js';
import { parseCredits, parseLaneNumbers } from './server-frames.js';
import type { SessionOptions } from './session-options.js';
import { snapshotFrames } from './state-sources.js';

// One socket, from dialling to its end. A new one is made for every try.
//
//   connecting --101--> challenged --Challenge, Proof--> proving --Welcome--> open --> closed
//       |                   |                               |                  ^
//       |                   |                               +- new epoch ------|---> closed (and at once again)
//       +-------------------+-------- anything unexpected, Close, socket ----------> closed
//
// Dialling has bounds of its own (dial-step.ts) and one of 50 s here; `challenged` and `proving` have 10 s each.
// Jobs, cancels, credits and acknowledgements count from `open` on.
//
//   dialled-socket.ts   frames out, what its errors mean    lane-delivery.ts   results, credits, acknowledgements
//   handshake.ts        who the peers are                   keep-alive.ts      heartbeats, time, silence
//   key-rotation.ts     another key for this node           open-frames.ts     whom each word concerns
//   link-end.ts         why it ended

type State = 'connecting' | 'challenged' | 'proving' | 'opening' | 'open' | 'closed';
type Welcome = NonNullable<DecodedServerFrame['welcome']>;

/** Five steps of dialling: the name, TCP, a proxy, TLS, the upgrade. */
const DIAL_TIMEOUT_MS = 5 * STEP_TIMEOUT_MS;

/** Fields of a Close frame in addition to its reason. */
interface CloseAdvice {
  readonly retryAfterMs: number;
  readonly controlUrls?: readonly string[];
}

/** The agent's side of one link. */
export class Session {
  readonly #options: SessionOptions;
  readonly #socket: DialledSocket;
  readonly #rotation: KeyRotation;
  readonly #keepAlive: KeepAlive;
  readonly #delivery: LaneDelivery;
  readonly #openFrames: OpenFrames;
  readonly #ended: Promise<LinkEnd>;
  #resolveEnd: (end: LinkEnd) => void = () => undefined;
  #state: State = 'connecting';
  #openedMs: number | null = null;
  /** Time at which the peer proved to be the control plane, monotonic; null before that. */
  #provedMs: number | null = null;
  #cancelPatience: () => void = () => undefined;
  readonly #forgetEpochListener: () => void;

  /** Dials at once. */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
    const { identity, log, clock, spool, random, jobs, schedule, clockSync, selfTest } = options;
    const send = (frame: Parameters<DialledSocket['send']>[0]) => this.#socket.send(frame);
    this.#rotation = new KeyRotation({ identity, log, send });
    this.#delivery = new LaneDelivery({ spool, clock, log, send: (frame) => this.#socket.sendWithRoom(frame) });
    this.#keepAlive = new KeepAlive({
      clock,
      random,
      spool,
      jobs,
      schedule,
      clockSync,
      selfTest,
      send,
      inFlightBytes: () => this.#delivery.inFlightBytes,
      onSilent: () => this.#end('silent', 'nothing received for three heartbeats'),
    });
    const [rotation, keepAlive, delivery] = [this.#rotation, this.#keepAlive, this.#delivery];
    this.#openFrames = new OpenFrames({ ...options, rotation, keepAlive, delivery });
    this.#waitAtMost(DIAL_TIMEOUT_MS, 'no connection was established');
    this.#forgetEpochListener = spool.onEpochLost((reason) => this.#end('new_epoch', reason));
    this.#socket = new DialledSocket({
      socket: options.dial(options.controlUrl),
      clock,
      onConnected: () => this.#onConnected(),
      onMessage: (data, isBinary) => this.#onMessage(data, isBinary),
      onClosed: (code) => this.#onClosed(code),
    });
  }

  /** Resolves when the link has ended, for any reason. */
  ended(): Promise<LinkEnd> {
    return this.#ended;
  }

  /** Rows of each lane that may be in flight. */
  get credits(): Readonly<Record<Lane, number>> {
    return this.#delivery.windows;
  }

  /** Results joined a lane. */
  wake(lane: Lane): void {
    this.#delivery.wake(lane);
  }

  /** Reports a change in the state of an upgrade. */
  reportUpgrade(status: UpgradeStatus): void {
    if (this.#state === 'open') this.#socket.send(upgradeFrame(status));
  }

  /** Sends what can be sent at once and ends the link from this side. */
  async stop(): Promise<void> {
    const sent = this.#delivery.drained();
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(CLOSE_TIMEOUT_MS, resolve);
      void sent.then(cancel).then(() => resolve());
    });
    await this.#rotation.settled();
    this.#end('stopped', 'the agent is stopping');
  }

  /** Instead of what was waited for before. */
  #waitAtMost(ms: number, otherwise: string): void {
    this.#cancelPatience();
    this.#cancelPatience = this.#options.clock.after(ms, () => this.#end('unreachable', otherwise));
  }

  #onConnected(): void {
    if (this.#state === 'closed') return;
    this.#state = 'challenged';
    this.#waitAtMost(HANDSHAKE_TIMEOUT_MS, 'the control plane did not respond to the hello');
    this.#socket.send(this.#options.handshake.hello());
  }

  #onClosed(code: number): void {
    const { kind, message } = this.#socket.endOf(code, this.#openedMs !== null);
    this.#end(kind, message);
  }

  #onMessage(data: unknown, isBinary: boolean): void {
    if (this.#state === 'closed') return;
    this.#keepAlive.heard();
    try {
      if (!isBinary || !Buffer.isBuffer(data)) throw new MalformedFrameError('text message');
      this.#onFrame(decodeServerFrame(data));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A peer that breaks the protocol ends this link, and nothing else. */
  #fail(error: unknown): void {
    if (error instanceof WrongServerError) return this.#end('wrong_server', error.message);
    if (error instanceof OutdatedKeyError) return this.#end('unauthenticated', error.message);
    if (error instanceof MalformedFrameError) return this.#end('protocol_error', error.message);
    this.#options.log.error({ err: error }, 'link step failed');
    this.#end('protocol_error', 'link step failed');
  }

  #onFrame(frame: DecodedServerFrame): void {
    if (frame.close) return this.#onClose(frame.close);
    if (this.#state === 'challenged' && frame.challenge) return this.#prove(frame.challenge);
    if (this.#state === 'proving' && frame.welcome) {
      this.#state = 'opening';
      this.#open(frame.welcome).catch((error: unknown) => this.#fail(error));
      return;
    }
    if (this.#state !== 'open' && this.#state !== 'opening')
      throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
    this.#openFrames.take(frame);
  }

  #onClose(close: NonNullable<DecodedServerFrame['close']>): void {
    const kind = endOfCloseFrame(close.reason);
    const isProved = this.#provedMs !== null;
    const { handshake } = this.#options;
    const judged = kind === 'upgrade_required' && !isProved ? handshake.judgeVersionRefusal(close) : kind;
    this.#end(judged, close.message, close);
  }

  #prove(challenge: NonNullable<DecodedServerFrame['challenge']>): void {
    const { handshake, spool, jobs, schedule, clock } = this.#options;
    const proof = handshake.prove(challenge, {
      epoch: spool.epoch,
      lanes: spool.state(),
      runningTaskIds: jobs.runningTaskIds,
      assignmentsDigest: schedule.digest(),
    });
    this.#provedMs = clock.monotonicMs();
    this.#state = 'proving';
    this.#waitAtMost(HANDSHAKE_TIMEOUT_MS, 'the control plane did not respond to the proof');
    this.#socket.send(proof);
  }

  async #open(welcome: Welcome): Promise<void> {
    const { spool, clock, handshake, upgrades, onOpen } = this.#options;
    if (handshake.provedKey !== null) this.#rotation.proved(handshake.provedKey.publicKey);
    const marks = parseLaneNumbers(welcome.marks, (entry) => entry.mark ?? 0);
    this.#delivery.setWindows(parseCredits(welcome.credits));
    if (!welcome.config) throw new MalformedFrameError('welcome without configuration');
    this.#keepAlive.welcomed(welcome.serverTimeMs, this.#provedMs);
    this.#openFrames.configure(welcome.config);
    this.#cancelPatience();
    this.#openedMs = clock.monotonicMs();
    const outcome = await spool.resume(marks);
    if (outcome === 'resumed' && welcome.newEpoch) await spool.startNewEpoch('requested by the control plane');
    if (outcome === 'new-epoch' || welcome.newEpoch)
      return this.#end('new_epoch', 'the control plane has results that this spool does not have');
    if (this.#state !== 'opening') return;
    await this.#sendSnapshot();
    if (this.#state !== 'opening') return;
    this.#delivery.begin(marks, this.#keepAlive.roundTripMs);
    this.#state = 'open';
    onOpen(welcome.sessionId);
    this.#keepAlive.begin();
    if (upgrades.latest !== null) this.reportUpgrade(upgrades.latest);
    for (const lane of lanes) this.#delivery.wake(lane);
  }

  /** Newest states first: they say how things are now, the backlog how they were. */
  async #sendSnapshot(): Promise<void> {
    for (const frame of snapshotFrames(await this.#options.states())) await this.#socket.sendWithRoom(frame);
  }

  #end(kind: LinkEndKind, message: string, advice: CloseAdvice = { retryAfterMs: this.#socket.retryAfterMs }): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelPatience();
    this.#forgetEpochListener();
    this.#keepAlive.end();
    this.#delivery.end();
    this.#socket.hangUp(kind === 'silent');
    const openMs = this.#openedMs === null ? 0 : this.#options.clock.monotonicMs() - this.#openedMs;
    // only an authenticated control plane may redirect the agent
    const controlUrls = this.#provedMs === null ? [] : (advice.controlUrls ?? []);
    this.#resolveEnd({ kind: this.#believed(kind), message, retryAfterMs: advice.retryAfterMs, controlUrls, openMs });
  }

  /** A ban or deletion ends this agent for good, so it is accepted only from the authenticated control plane. */
  #believed(kind: LinkEndKind): LinkEndKind {
    return (kind === 'banned' || kind === 'deleted') && this.#provedMs === null ? 'unauthenticated' : kind;
  }
}
