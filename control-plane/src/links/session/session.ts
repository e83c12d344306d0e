import { afterMessages } from '@vantage/shared/clock.js';
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
import type { LaneNumbers } from '../records/catch-up.js';
import type { KnownLink } from '../records/known-link.js';
import { FrameSocket } from '../sockets/frame-socket.js';
import { AssignmentsOut } from '../traffic/assignments-out.js';
import { JobsOut, type OutgoingJob } from '../traffic/jobs-out.js';
import { configMessage } from '../traffic/link-config.js';
import { SilenceWatch } from '../traffic/liveness.js';
import type { CloseAdvice, CloseReason } from './closing.js';
import { Deliveries } from './deliveries.js';
import { fence, shutOutOf } from './fencing.js';
import { Leaving } from './leaving.js';
import type { Link, ResumeState } from './link.js';
import type { LinkPorts } from './link-ports.js';
import type { NodeFacts } from './node-facts.js';
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
// Before its proof, only this object and its parts are allocated for a peer. From `open` on, a malformed frame closes
// only this link.

type State = 'hello' | 'proving' | 'opening' | 'open' | 'closed';

/** Server side of one link. */
export class LinkSession implements Link {
  readonly sessionId = newId(idPrefixes.session);
  nodeId = '';
  revision = 0;
  generation = 0;
  resume: ResumeState = { runningTaskIds: NOTHING, bootOpening: 0 };
  readonly #frames: FrameSocket;
  readonly #opening: Opening;
  readonly #jobs: JobsOut;
  readonly #silence: SilenceWatch;
  readonly #word: NodeWord;
  readonly #leaving: Leaving;
  /** Set once the link is open. */
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
      onUnread: () => log.warn({ nodeId: this.nodeId || undefined }, 'agent does not read from its link'),
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
    this.#cancelHandshakeTimer = clock.after(HANDSHAKE_TIMEOUT_MS, () => this.#endLateHandshake());
  }

  /** Counts bytes of the socket before they are a frame. */
  heard(bytes: number): void {
    this.#frames.heard(bytes);
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get peerAddress(): string {
    return this.ports.peerAddress;
  }

  get spool(): NodeWord['spool'] {
    return this.#word.spool;
  }

  get heardAt(): number {
    return this.#word.heardAt;
  }

  get inFlight(): number {
    return this.#jobs.sent.owed;
  }

  get isCaughtUp(): boolean {
    return this.#deliveries?.isCaughtUp ?? true;
  }

  get known(): KnownLink | null {
    if (!this.isOpen || this.#deliveries === null) return null;
    const { nodeId, generation } = this;
    return { nodeId, generation, ...this.#deliveries.stored };
  }

  get passedOver(): number {
    return this.#passedOver;
  }

  hasSent(taskId: string): boolean {
    return this.#jobs.sent.has(taskId);
  }

  sendJob(job: OutgoingJob): void {
    if (this.isOpen && this.#jobs.give(job)) this.#silence.look();
  }

  lookForAssignments(): void {
    if (this.isOpen) this.#assignments?.look();
  }

  lookForAssignmentsOf(monitorIds: readonly string[]): void {
    if (this.isOpen) this.#assignments?.lookAt(monitorIds);
  }

  askForCheck(monitorId: string, generation: number, request: string): void {
    if (this.isOpen) this.#frames.send({ checkNow: { monitorId, generation, request } });
  }

  sendConfig(): void {
    if (this.isOpen) this.#frames.send({ config: this.#config() });
  }

  grant(credits: LaneNumbers): boolean {
    return this.isOpen && this.#deliveries !== null && this.#deliveries.grant(credits);
  }

  takeFacts(node: NodeFacts): void {
    fence(this, node);
    if (this.isOpen) this.#word.look(node);
  }

  close(reason: CloseReason, message: string, advice: CloseAdvice = {}): void {
    if (this.#state === 'closed') return;
    this.#leaving.close(reason, message, advice);
  }

  /** Resolves when the database has noted the end of this link. */
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

  /** Counts a frame of a newer agent that this build does not know; only the first is logged. */
  #passOver(): void {
    this.#passedOver += 1;
    if (this.#passedOver > 1) return;
    this.ports.log.info({ nodeId: this.nodeId }, 'agent sends frames of a newer protocol, ignoring them');
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

  /** Ends a handshake whose time is over; one that has proved itself waits only for the database. */
  #endLateHandshake(): void {
    // a proof that arrived while this process stood still counts
    afterMessages(this.ports.clock, () => {
      if (this.nodeId === '') this.close('CLOSE_PROTOCOL_ERROR', 'handshake took too long');
    });
  }

  /** Closes the link because the database accepts nothing over it any more; the agent gets the reason. */
  async #leaveRefused(): Promise<void> {
    const shutOut = shutOutOf(await this.ports.store.findNode(this.nodeId));
    if (shutOut !== null) this.close(shutOut.reason, shutOut.message);
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
    // changes of this node from before the table had the link
    const facts = this.ports.directory.find(this.nodeId);
    if (facts) this.takeFacts(facts);
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
    this.ports.log.warn({ nodeId: this.nodeId, marks, held }, 'node has lost track of results that are stored');
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
    const { assigned: reads, clock, log } = this.ports;
    const send = (frame: ServerFrame) => this.#frames.send(frame);
    return new AssignmentsOut({ nodeId: this.nodeId, heldDigest, reads, send, clock, log });
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

/** True if the database has more of the node's spool than the node itself. */
function isSetBack({ marks, held }: OpenedLink): boolean {
  return lanes.some((lane) => marks[lane] > held[lane]);
}
