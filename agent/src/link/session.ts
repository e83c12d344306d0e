import type { Clock } from '@vantage/shared/clock.js';
import {
  type AgentFrame,
  type DecodedServerFrame,
  decodeServerFrame,
  encodeAgentFrame,
  type Lane,
  laneName,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import { HANDSHAKE_TIMEOUT_MS, WS_CLOSE_LINK } from '@vantage/shared/protocol/limits.js';
import type { SelfTestReport } from '@vantage/shared/self-test.js';
import type { Logger } from 'pino';
import type { RawData, WebSocket } from 'ws';
import type { ControlPlaneLists } from '../measuring/policy-source.js';
import type { Spool } from '../spool/spool.js';
import type { ClockSync } from './clock-sync.js';
import { dialLink, UpgradeRefusedError } from './dial.js';
import { type Handshake, WrongServerError } from './handshake.js';
import { Heartbeats } from './heartbeats.js';
import type { Jobs } from './jobs.js';
import { LaneSender } from './lane-sender.js';
import { endOfCloseFrame, endOfSocket, type LinkEnd, type LinkEndKind } from './link-end.js';
import { parseConfig, parseCredits, parseJob, parseLaneNumbers } from './server-frames.js';

// One socket, from dialling to its end. A new one is made for every try.
//
//   connecting --101--> challenged --Challenge, Proof--> proving --Welcome--> open --> closed
//       |                   |                               |                  ^
//       |                   |                               +- new epoch ------|---> closed (and at once again)
//       +-------------------+--- 10 s, anything unexpected, Close, socket ---------> closed
//
// Jobs, cancels, credits and acknowledgements count from `open` on; results leave through one LaneSender per lane.

type State = 'connecting' | 'challenged' | 'proving' | 'opening' | 'open' | 'closed';
type Welcome = NonNullable<DecodedServerFrame['welcome']>;

/** More than this unsent and the lanes wait for the socket. */
const MAX_BUFFERED_BYTES = 1024 * 1024;
/** A peer that does not answer our close is cut off. */
const CLOSE_TIMEOUT_MS = 1000;

export interface SessionOptions {
  /** http or https URL of the control plane. */
  readonly controlUrl: string;
  /** Source address of the socket; null: the system's choice. */
  readonly bindAddress: string | null;
  readonly handshake: Handshake;
  readonly spool: Spool;
  readonly jobs: Jobs;
  readonly clockSync: ClockSync;
  readonly clock: Clock;
  /** 0 <= r < 1. */
  readonly random: () => number;
  readonly log: Logger;
  /** The target lists of the control plane, with the welcome and whenever they change. */
  readonly onLists: (lists: ControlPlaneLists) => void;
  /** What a node checks its own network with, with the welcome and whenever that changes. */
  readonly onCanaries: (canaries: readonly string[]) => void;
  /** The newest self-test; null before the first. */
  readonly selfTest: () => SelfTestReport | null;
  readonly onOpen: (sessionId: string) => void;
}

/** The agent's side of one link. */
export class Session {
  readonly #options: SessionOptions;
  readonly #socket: WebSocket;
  readonly #ended: Promise<LinkEnd>;
  #resolveEnd: (end: LinkEnd) => void = () => undefined;
  #state: State = 'connecting';
  #openedMs: number | null = null;
  /** When the other side had shown that it is the control plane, monotonic; null before that. */
  #provedMs: number | null = null;
  #heartbeats: Heartbeats | null = null;
  #senders: Record<Lane, LaneSender> | null = null;
  #windows: Record<Lane, number> = { task: 0, check: 0 };
  #toldSelfTest: SelfTestReport | null = null;
  #dialError: string | null = null;
  #dialRetryAfterMs = 0;
  readonly #cancelHandshake: () => void;
  readonly #forgetEpochListener: () => void;

  /** Dials at once. */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#ended = new Promise((resolve) => {
      this.#resolveEnd = resolve;
    });
    this.#cancelHandshake = options.clock.after(HANDSHAKE_TIMEOUT_MS, () =>
      this.#end('unreachable', 'the handshake took too long'),
    );
    this.#forgetEpochListener = options.spool.onEpochLost((reason) => this.#end('new_epoch', reason));
    this.#socket = dialLink(options.controlUrl, options.bindAddress);
    this.#socket.on('open', () => this.#onConnected());
    this.#socket.on('message', (data, isBinary) => this.#onMessage(data, isBinary));
    this.#socket.on('error', (error) => this.#onError(error));
    this.#socket.on('close', (code) =>
      this.#end(endOfSocket(code, this.#openedMs !== null), this.#dialError ?? `socket closed with ${code}`),
    );
  }

  /** Resolves when the link is over, for whatever reason. */
  ended(): Promise<LinkEnd> {
    return this.#ended;
  }

  /** Results joined a lane. */
  wake(lane: Lane): void {
    this.#senders?.[lane].wake();
  }

  /** Sends what can be sent at once and ends the link from this side. */
  async stop(): Promise<void> {
    const sent = Promise.all(lanes.map((lane) => this.#senders?.[lane].drained()));
    await new Promise<void>((resolve) => {
      const cancel = this.#options.clock.after(CLOSE_TIMEOUT_MS, resolve);
      void sent.then(cancel).then(() => resolve());
    });
    this.#end('stopped', 'the agent is stopping');
  }

  #onConnected(): void {
    this.#state = 'challenged';
    this.#send(this.#options.handshake.hello());
  }

  #onError(error: Error): void {
    this.#dialError ??= error.message || String(error);
    if (error instanceof UpgradeRefusedError) this.#dialRetryAfterMs = error.retryAfterMs;
    // 'close' follows, and ends the session
  }

  #onMessage(data: RawData, isBinary: boolean): void {
    if (this.#state === 'closed') return;
    this.#heartbeats?.heard();
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
    if (error instanceof MalformedFrameError) return this.#end('protocol_error', error.message);
    this.#options.log.error({ err: error }, 'link step failed');
    this.#end('protocol_error', 'link step failed');
  }

  #onFrame(frame: DecodedServerFrame): void {
    if (frame.close)
      return this.#end(endOfCloseFrame(frame.close.reason), frame.close.message, frame.close.retryAfterMs);
    if (this.#state === 'challenged' && frame.challenge) return this.#prove(frame.challenge);
    if (this.#state === 'proving' && frame.welcome) {
      this.#state = 'opening';
      this.#open(frame.welcome).catch((error: unknown) => this.#fail(error));
      return;
    }
    if (this.#state !== 'open' && this.#state !== 'opening')
      throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
    this.#onOpenFrame(frame);
  }

  #onOpenFrame(frame: DecodedServerFrame): void {
    const { jobs } = this.#options;
    if (frame.job) {
      jobs.accept(parseJob(frame.job));
      this.#heartbeats?.hurry();
    } else if (frame.cancel) jobs.cancel(frame.cancel.taskId);
    else if (frame.ack) this.#onAck(frame.ack);
    else if (frame.credits) this.#setWindows(parseCredits(frame.credits.credits));
    else if (frame.heartbeat) this.#heartbeats?.receive(frame.heartbeat);
    else if (frame.config) this.#configure(frame.config);
    else throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
  }

  #prove(challenge: NonNullable<DecodedServerFrame['challenge']>): void {
    const { handshake, spool, jobs, clock } = this.#options;
    const proof = handshake.prove(challenge, {
      epoch: spool.epoch,
      lanes: spool.state(),
      runningTaskIds: jobs.runningTaskIds,
    });
    this.#provedMs = clock.monotonicMs();
    this.#state = 'proving';
    this.#send(proof);
  }

  async #open(welcome: Welcome): Promise<void> {
    const { spool, clock, clockSync, onOpen } = this.#options;
    const marks = parseLaneNumbers(welcome.marks, (entry) => entry.mark ?? 0);
    this.#setWindows(parseCredits(welcome.credits));
    if (!welcome.config) throw new MalformedFrameError('welcome without configuration');
    clockSync.restart();
    this.#exchangeTime(welcome.serverTimeMs);
    this.#heartbeats = this.#makeHeartbeats(this.#configure(welcome.config).intervals);
    this.#cancelHandshake();
    this.#openedMs = clock.monotonicMs();
    const outcome = await spool.resume(marks);
    if (outcome === 'resumed' && welcome.newEpoch) await spool.startNewEpoch('asked for by the control plane');
    if (outcome === 'new-epoch' || welcome.newEpoch)
      return this.#end('new_epoch', 'the control plane knows of results this spool does not');
    if (this.#state !== 'opening') return;
    this.#senders = { task: this.#makeSender('task', marks.task), check: this.#makeSender('check', marks.check) };
    this.#state = 'open';
    onOpen(welcome.sessionId);
    this.#heartbeats.begin();
    for (const lane of lanes) this.#senders[lane].wake();
  }

  /** The proof and its welcome are a first exchange, rough because the control plane worked in between. */
  #exchangeTime(serverTimeMs: number): void {
    const receivedMs = this.#options.clock.monotonicMs();
    const server = { serverReceivedAt: serverTimeMs, serverSentAt: serverTimeMs };
    this.#options.clockSync.add({ sentMs: this.#provedMs ?? receivedMs, receivedMs, ...server });
  }

  #configure(frame: NonNullable<DecodedServerFrame['config']>): ReturnType<typeof parseConfig> {
    const config = parseConfig(frame);
    this.#options.onLists(config.lists);
    this.#options.onCanaries(config.canaries);
    this.#heartbeats?.setIntervals(config.intervals);
    return config;
  }

  #makeHeartbeats(intervals: { idleMs: number; busyMs: number }): Heartbeats {
    const { clock, random, spool, jobs, clockSync } = this.#options;
    return new Heartbeats({
      clock,
      random,
      intervals,
      send: (frame) => this.#send(frame),
      vitals: () => ({ running: jobs.running, spoolRows: spool.stats().rows, loopLagMs: jobs.takeLoopLag() }),
      takeSelfTest: () => this.#takeSelfTest(),
      onExchange: (exchange) => clockSync.add(exchange),
      onSilent: () => this.#end('silent', 'nothing heard for three heartbeats'),
    });
  }

  #takeSelfTest(): SelfTestReport | null {
    const latest = this.#options.selfTest();
    if (latest === this.#toldSelfTest) return null;
    this.#toldSelfTest = latest;
    return latest;
  }

  #makeSender(lane: Lane, mark: number): LaneSender {
    const { spool, clock, log } = this.#options;
    const onReadFailed = (error: unknown) => log.error({ err: error, lane }, 'the spool cannot be read');
    const send = (frame: AgentFrame) => this.#sendWithRoom(frame);
    return new LaneSender({ lane, spool, clock, send, onReadFailed }, mark, this.#windows[lane]);
  }

  /** Credits may come while the welcome is still being worked on. */
  #setWindows(credits: readonly [Lane, number][]): void {
    for (const [lane, rows] of credits) {
      this.#windows[lane] = rows;
      this.#senders?.[lane].setWindow(rows);
    }
  }

  #onAck(ack: NonNullable<DecodedServerFrame['ack']>): void {
    const lane = laneName(ack.lane);
    for (const { sequence, code } of ack.rejects) {
      this.#options.log.warn({ lane, sequence, code }, 'the control plane refused a result');
    }
    if (this.#senders === null) throw new MalformedFrameError('acknowledgement before anything was sent');
    // of an epoch that is over it says nothing of the present numbers
    if (Buffer.from(ack.epoch).equals(this.#options.spool.epoch))
      this.#senders[lane].acknowledged(ack.mark, ack.rewind);
  }

  #send(frame: AgentFrame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(encodeAgentFrame(frame));
  }

  #sendWithRoom(frame: AgentFrame): Promise<void> {
    if (this.#socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      this.#send(frame);
      return Promise.resolve();
    }
    return new Promise((resolve) => this.#socket.send(encodeAgentFrame(frame), () => resolve()));
  }

  #end(kind: LinkEndKind, message: string, retryAfterMs = this.#dialRetryAfterMs): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#cancelHandshake();
    this.#forgetEpochListener();
    this.#heartbeats?.end();
    for (const lane of lanes) this.#senders?.[lane].end();
    this.#hangUp(kind);
    const openMs = this.#openedMs === null ? 0 : this.#options.clock.monotonicMs() - this.#openedMs;
    this.#resolveEnd({ kind: this.#believed(kind), message, retryAfterMs, openMs });
  }

  /** A ban ends this agent for good: it counts from the control plane alone, not from whoever stands in its place. */
  #believed(kind: LinkEndKind): LinkEndKind {
    return kind === 'banned' && this.#provedMs === null ? 'unauthenticated' : kind;
  }

  #hangUp(kind: LinkEndKind): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN || kind === 'silent') return socket.terminate();
    socket.close(WS_CLOSE_LINK);
    const cancel = this.#options.clock.after(CLOSE_TIMEOUT_MS, () => socket.terminate(), { unref: true });
    socket.once('close', cancel);
  }
}
