import { idPrefixes, newId } from '@vantage/shared/ids.js';
import {
  type DecodedAgentFrame,
  laneCode,
  lanes,
  MalformedFrameError,
  type ServerFrame,
  UNKNOWN_BODY,
} from '@vantage/shared/protocol/codec.js';
import { HANDSHAKE_TIMEOUT_MS } from '@vantage/shared/protocol/limits.js';
import type { LinkSocket } from '@vantage/shared/protocol/link-socket.js';
import { AssignmentsOut } from './assignments-out.js';
import type { LaneNumbers } from './catch-up.js';
import type { CloseAdvice, CloseReason } from './closing.js';
import { Deliveries } from './deliveries.js';
import { fence, type NodeNews, shutOutMessage } from './fencing.js';
import { FrameSocket } from './frame-socket.js';
import { JobsOut, type OutgoingJob } from './jobs-out.js';
import { Leaving } from './leaving.js';
import { configMessage } from './link-config.js';
import type { LinkPorts } from './link-ports.js';
import { SilenceWatch } from './liveness.js';
import type { KnownLink } from './lost-records.js';
import { NodeWord } from './node-word.js';
import { NOTHING, type OpenedLink, Opening } from './opening.js';

// One link of one agent, and the order of its life; what happens in each state has its own file.
//
//   hello ──Hello──> proving ──Proof──> opening ──stored──> open ──> closed
//     └──────── anything else, 10 s, a bad signature ────────────────^
//
//   opening.ts        who the peer is, and what the     jobs-out.ts    jobs it gets
//                     database says to it (handshake.ts) deliveries.ts  results and states, acknowledgements, credits
//   frame-socket.ts   frames in and out (inflow.ts: how  node-word.ts   heartbeats, self-tests, keys, upgrades
//                     fast they are read)                leaving.ts     how it ends
//   liveness.ts       silence                            fencing.ts     what ends it from outside
//   assignments-out.ts  what the node is to watch
//
// Nothing is allocated for a peer before its proof but this object and its parts. From `open` on every malformed frame closes this
// link and no other.

type State = 'hello' | 'proving' | 'opening' | 'open' | 'closed';

/** What an authenticated agent said it still has. */
export interface ResumeState {
  readonly runningTaskIds: ReadonlySet<string>;
  /** Which link of the node was the first of its process: what was stored under one before was another's to do. */
  readonly bootOpening: number;
}

/** The control plane's side of one link. */
export class LinkSession {
  readonly sessionId = newId(idPrefixes.session);
  nodeId = '';
  /** Row revision this session was opened with: only newer news concern it. */
  revision = 0;
  generation = 0;
  resume: ResumeState = { runningTaskIds: NOTHING, bootOpening: 0 };
  readonly #frames: FrameSocket;
  readonly #opening: Opening;
  readonly #jobs: JobsOut;
  readonly #silence: SilenceWatch;
  readonly #word: NodeWord;
  readonly #leaving: Leaving;
  /** There once the link is open. */
  #deliveries: Deliveries | null = null;
  #assignments: AssignmentsOut | null = null;
  #state: State = 'hello';
  #passedOver = 0;
  readonly #cancelHandshakeTimer: () => void;

  constructor(
    socket: LinkSocket,
    private readonly ports: LinkPorts,
    private readonly onAuthenticated: () => void,
  ) {
    const { clock, config, log } = ports;
    const frames = new FrameSocket(socket, clock, {
      onFrame: (frame) => this.#onFrame(frame),
      onMalformed: (error) => this.close('CLOSE_PROTOCOL_ERROR', error.message),
      onUnread: () => log.warn({ nodeId: this.nodeId || undefined }, 'link does not read what it is sent'),
      onClosed: () => void this.#leaving.begin(),
    });
    this.#frames = frames;
    const send = frames.send.bind(frames);
    this.#opening = new Opening({
      ports,
      sessionId: this.sessionId,
      send,
      close: (reason, message, advice) => this.close(reason, message, advice),
      isClosing: () => this.#leaving.hasBegun,
      onProved: (nodeId) => this.#onProved(nodeId),
    });
    this.#jobs = new JobsOut(clock, send);
    this.#silence = new SilenceWatch({
      clock,
      frames,
      jobs: this.#jobs,
      config,
      roundTripMs: () => this.#opening.roundTripMs,
      onSilent: (silentMs) => this.#onSilent(silentMs),
    });
    this.#word = new NodeWord({
      ports,
      link: () => this,
      send,
      onLoad: (load) => this.#jobs.heard(load),
    });
    this.#leaving = new Leaving({
      ports,
      frames,
      link: this,
      onLeaving: () => this.#onLeaving(),
      asked: () => this.#opening.asked,
      settled: async () => await this.#deliveries?.settled(),
      onGone: () => ports.work.onClosed(this),
    });
    this.#cancelHandshakeTimer = clock.after(HANDSHAKE_TIMEOUT_MS, () =>
      this.close('CLOSE_PROTOCOL_ERROR', 'handshake took too long'),
    );
  }

  /** Bytes of the socket, before they are a frame. */
  heard(bytes: number): void {
    this.#frames.heard(bytes);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Where the agent connects from, as the world sees it; '' when unknown. */
  get peerAddress(): string {
    return this.ports.peerAddress;
  }

  /** The agent's spool at its last heartbeat. */
  get spool(): NodeWord['spool'] {
    return this.#word.spool;
  }

  /** When that was, milliseconds since the epoch; 0: never. */
  get heardAt(): number {
    return this.#word.heardAt;
  }

  /** Jobs sent over this link and not answered: the load this replica knows of. */
  get inFlight(): number {
    return this.#jobs.sent.owed;
  }

  /** Whether nothing the node held when it connected is missing any more. */
  get isCaughtUp(): boolean {
    return this.#deliveries?.isCaughtUp ?? true;
  }

  /** What the database must know of this link, as it once said itself; null while it is not open. */
  get known(): KnownLink | null {
    if (!this.isOpen || this.#deliveries === null) return null;
    const { nodeId, generation } = this;
    return { nodeId, generation, ...this.#deliveries.stored };
  }

  /** Frames of the agent's that this build does not know. */
  get passedOver(): number {
    return this.#passedOver;
  }

  /** Whether the node got or answered this job over this link. */
  hasSent(taskId: string): boolean {
    return this.#jobs.sent.has(taskId);
  }

  /** Sends a stored task to the node, unless it has had or answered it over this link. */
  sendJob(job: OutgoingJob): void {
    if (this.isOpen && this.#jobs.give(job)) this.#silence.look();
  }

  /** What the node is to watch may have changed. */
  lookForAssignments(): void {
    if (this.isOpen) this.#assignments?.look();
  }

  /** A person wants to know now: the node checks something beside its schedule, if it has it. */
  askForCheck(monitorId: string, generation: number, request: string): void {
    if (this.isOpen) this.#frames.send({ checkNow: { monitorId, generation, request } });
  }

  /** Tells the agent its configuration again after it changed. */
  sendConfig(): void {
    if (this.isOpen) this.#frames.send({ config: this.#config() });
  }

  /** Tells the agent how many rows it may have in flight, if that is news; one that does not read is told later. */
  grant(credits: LaneNumbers): boolean {
    return this.isOpen && this.#deliveries !== null && this.#deliveries.grant(credits);
  }

  /** Does what the newest record of the node says: ends, or passes on what the node is asked for. */
  takeNews(node: NodeNews): void {
    fence(this, node);
    if (this.isOpen) this.#word.look(node);
  }

  /** Says why and closes; the socket is cut when the peer doesn't answer. */
  close(reason: CloseReason, message: string, advice: CloseAdvice = {}): void {
    if (this.#state === 'closed') return;
    this.#leaving.close(reason, message, advice);
  }

  /** Resolves when the database knows that this link is gone. */
  async ended(): Promise<void> {
    await this.#leaving.ended();
  }

  #onFrame(frame: DecodedAgentFrame): void {
    if (frame.hello && this.#state === 'hello') return this.#run(this.#onHello(frame.hello));
    if (frame.proof && this.#state === 'proving') return this.#run(this.#onProof(frame.proof));
    const step = this.isOpen ? (this.#deliveries?.take(frame) ?? this.#word.take(frame)) : null;
    if (step === 'taken') return;
    if (step !== null) return this.#run(step);
    if (frame.body === UNKNOWN_BODY && this.isOpen) return this.#passOver();
    throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
  }

  /** A newer agent says things this build does not know; the first is told, then it is known that it does. */
  #passOver(): void {
    this.#passedOver += 1;
    if (this.#passedOver > 1) return;
    this.ports.log.info({ nodeId: this.nodeId }, 'agent sends frames of a newer protocol: they are passed over');
  }

  /** Runs a step; a malformed frame closes the link, a failing database asks the agent to wait. */
  #run(step: Promise<void>): void {
    step.catch((error: unknown) => {
      if (error instanceof MalformedFrameError) return this.close('CLOSE_PROTOCOL_ERROR', error.message);
      if (this.#state !== 'closed') this.ports.log.warn({ err: error, nodeId: this.nodeId }, 'link step failed');
      this.close('CLOSE_OVERLOADED', 'storage is unavailable', { retryAfterMs: 1_000 });
    });
  }

  async #onHello(hello: NonNullable<DecodedAgentFrame['hello']>): Promise<void> {
    this.#state = 'opening';
    if ((await this.#opening.takeHello(hello)) && !this.#leaving.hasBegun) this.#state = 'proving';
  }

  #onProved(nodeId: string): void {
    this.nodeId = nodeId;
    this.onAuthenticated();
  }

  async #onProof(proof: NonNullable<DecodedAgentFrame['proof']>): Promise<void> {
    this.#state = 'opening';
    const opened = await this.#opening.takeProof(proof);
    if (opened !== null) this.#welcome(opened);
  }

  #onSilent(silentMs: number): void {
    this.ports.log.warn({ nodeId: this.nodeId, silentMs: Math.round(silentMs) }, 'link is silent');
    this.#frames.cut();
  }

  /** The database took nothing over this link any more: the agent is told why. */
  async #leaveRefused(): Promise<void> {
    const shutOut = shutOutMessage(await this.ports.store.findNode(this.nodeId));
    if (shutOut !== null) this.close('CLOSE_BANNED', shutOut);
    else this.close('CLOSE_REPLACED', 'this link is no longer the live one');
  }

  #welcome(opened: OpenedLink): void {
    // the socket may have closed while the database worked
    if (!this.#frames.isOpen) return void this.#leaving.begin();
    this.revision = opened.row.revision;
    this.generation = opened.generation;
    this.resume = { runningTaskIds: opened.runningTaskIds, bootOpening: opened.row.boot_opening };
    const deliveries = this.#takeDeliveries(opened);
    this.#deliveries = deliveries;
    this.#state = 'open';
    this.#frames.trust();
    this.#cancelHandshakeTimer();
    this.ports.table.add(this)?.close('CLOSE_REPLACED', 'a newer link of this node took over');
    this.#frames.send(this.#welcomeFrame(opened, deliveries));
    if (isSetBack(opened)) this.#onSetBack(opened);
    this.#silence.look();
    this.ports.flow.watch();
    // what was said of this node before the table knew the link
    const news = this.ports.directory.find(this.nodeId);
    if (news) this.takeNews(news);
    if (!this.isOpen) return;
    this.ports.log.info({ nodeId: this.nodeId, sessionId: this.sessionId }, 'link open');
    this.#assignments = this.#takeAssignments(opened);
    this.#assignments.look();
    this.ports.work.onOpened(this);
  }

  #welcomeFrame(opened: OpenedLink, { credits }: Deliveries): ServerFrame {
    return {
      welcome: {
        sessionId: this.sessionId,
        marks: lanes.map((lane) => ({ lane: laneCode(lane), mark: opened.marks[lane] })),
        credits,
        config: this.#config(),
        serverTimeMs: this.ports.clock.now(),
        newEpoch: isSetBack(opened),
      },
    };
  }

  #onSetBack({ marks, held }: OpenedLink): void {
    this.ports.log.warn({ nodeId: this.nodeId, marks, held }, 'node has forgotten results that are stored');
    this.ports.onSetBack();
  }

  #takeDeliveries(opened: OpenedLink): Deliveries {
    const { nodeId, sessionId, ports } = this;
    return new Deliveries({
      ports,
      link: { nodeId, sessionId },
      opened,
      frames: this.#frames,
      onAnswered: (taskId) => this.#jobs.sent.answer(taskId),
      onRefused: () => this.#run(this.#leaveRefused()),
      onReplaced: () => this.close('CLOSE_REPLACED', 'this link is no longer the live one'),
      onCaughtUp: () => ports.work.onCaughtUp(this),
    });
  }

  #takeAssignments({ assignmentsDigest: heldDigest }: OpenedLink): AssignmentsOut {
    const { assigned: read, clock, log } = this.ports;
    const send = (frame: ServerFrame) => this.#frames.send(frame);
    return new AssignmentsOut({ nodeId: this.nodeId, heldDigest, read, send, clock, log });
  }

  #config() {
    return configMessage(this.ports.config(), this.ports.peerAddress);
  }

  #onLeaving(): void {
    this.#state = 'closed';
    this.#cancelHandshakeTimer();
    this.#silence.stop();
    this.#assignments?.end();
    this.#word.end();
    this.#frames.end();
    this.ports.table.remove(this);
    this.onAuthenticated();
  }
}

/** The database has more of the node's spool than the node itself. */
function isSetBack({ marks, held }: OpenedLink): boolean {
  return lanes.some((lane) => marks[lane] > held[lane]);
}
