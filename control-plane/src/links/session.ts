import { idPrefixes, newId } from '@vantage/shared/ids.js';
import {
  CloseReasonCode,
  type DecodedAgentFrame,
  laneCode,
  lanes,
  MalformedFrameError,
} from '@vantage/shared/protocol/codec.js';
import { HANDSHAKE_TIMEOUT_MS } from '@vantage/shared/protocol/limits.js';
import type { WebSocket } from 'ws';
import { CatchUp, heldNumbers } from './catch-up.js';
import { type CloseReason, graceOf, LINK_GRACE_MS, recordClose, socketCodeOf } from './closing.js';
import { fence } from './fencing.js';
import { FrameSocket } from './frame-socket.js';
import { Handshake } from './handshake.js';
import { JobsOut, type OutgoingJob } from './jobs-out.js';
import { configMessage } from './link-config.js';
import type { LinkPorts } from './link-ports.js';
import { heartbeatReply, SilenceWatch } from './liveness.js';
import { credits, ResultsIn } from './results-in.js';
import { parseSelfTest, type SelfTestMessage } from './self-test.js';

// One link of one agent, and the order of its life; what happens in each state has its own file.
//
//   hello ──Hello──> proving ──Proof──> opening ──stored──> open ──> closed
//     └──────── anything else, 10 s, a bad signature ────────────────^
//
//   handshake.ts      who the peer is                  jobs-out.ts    jobs it gets
//   frame-socket.ts   frames in and out                results-in.ts  results it delivers, credits, acknowledgements
//   inflow.ts         how fast frames are read         catch-up.ts    what it held when it connected
//   liveness.ts       heartbeats and silence           closing.ts     what is left when it goes
//
// Nothing is allocated for a peer before its proof but this object and its parts. From `open` on every malformed frame closes this
// link and no other.

type State = 'hello' | 'proving' | 'opening' | 'open' | 'closed';
type Proof = NonNullable<DecodedAgentFrame['proof']>;

/** What an authenticated agent said it still has. */
export interface ResumeState {
  readonly runningTaskIds: ReadonlySet<string>;
  readonly isSameBoot: boolean;
}

/** The control plane's side of one link. */
export class LinkSession {
  readonly sessionId = newId(idPrefixes.session);
  nodeId = '';
  /** Row revision this session was opened with: only newer news concern it. */
  revision = 0;
  /** Milliseconds since the epoch when the agent said hello: what is made later can't have run before. */
  helloAt = 0;
  resume: ResumeState = { runningTaskIds: new Set(), isSameBoot: false };
  /** Rows the agent held unacknowledged at its last heartbeat. */
  spoolRows = 0;
  readonly #frames: FrameSocket;
  readonly #handshake: Handshake;
  readonly #jobs: JobsOut;
  readonly #silence: SilenceWatch;
  /** There once the link is open. */
  #results: ResultsIn | null = null;
  #state: State = 'hello';
  readonly #cancelHandshakeTimer: () => void;
  /** Settles when the database has answered whether this is the live session; null: it was not asked. */
  #opening: Promise<unknown> | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    socket: WebSocket,
    private readonly ports: LinkPorts,
    private readonly onAuthenticated: () => void,
  ) {
    const { clock, config, log } = ports;
    const frames = new FrameSocket(socket, clock, {
      onFrame: (frame) => this.#onFrame(frame),
      onMalformed: (error) => this.close('CLOSE_PROTOCOL_ERROR', error.message),
      onUnread: () => log.warn({ nodeId: this.nodeId || undefined }, 'link does not read what it is sent'),
      onClosed: () => void this.#onClosed(),
    });
    const onSilent = (silentMs: number) => {
      log.warn({ nodeId: this.nodeId, silentMs: Math.round(silentMs) }, 'link is silent');
      frames.cut();
    };
    this.#frames = frames;
    this.#handshake = new Handshake(ports);
    this.#jobs = new JobsOut(clock, (frame) => frames.send(frame));
    this.#silence = new SilenceWatch({ clock, frames, jobs: this.#jobs, config, onSilent });
    this.#cancelHandshakeTimer = clock.after(HANDSHAKE_TIMEOUT_MS, () =>
      this.close('CLOSE_PROTOCOL_ERROR', 'handshake took too long'),
    );
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Jobs sent over this link and not answered: the load this replica knows of. */
  get inFlight(): number {
    return this.#jobs.sent.owed;
  }

  /** Whether nothing the node held when it connected is missing any more. */
  get isCaughtUp(): boolean {
    return this.#results?.isCaughtUp ?? true;
  }

  /** Whether the node got or answered this job over this link. */
  hasSent(taskId: string): boolean {
    return this.#jobs.sent.has(taskId);
  }

  /** Sends a stored task to the node, unless it has had or answered it over this link. */
  sendJob(job: OutgoingJob): void {
    if (this.isOpen && this.#jobs.give(job)) this.#silence.look();
  }

  /** Tells the agent its configuration again after it changed. */
  sendConfig(): void {
    if (this.isOpen) this.#frames.send({ config: this.#config() });
  }

  /** Says why and closes; the socket is cut when the peer doesn't answer. */
  close(reason: CloseReason, message: string, retryAfterMs = 0): void {
    if (this.#state === 'closed') return;
    this.ports.log.info({ nodeId: this.nodeId || undefined, reason, message }, 'closing link');
    this.#frames.send({ close: { reason: CloseReasonCode[reason], message, retryAfterMs } });
    this.#frames.close(socketCodeOf(reason), message.slice(0, 100));
    void this.#onClosed(graceOf(reason));
  }

  /** Resolves when the database knows that this link is gone. */
  async ended(): Promise<void> {
    await this.#closing;
  }

  #onFrame(frame: DecodedAgentFrame): void {
    if (frame.hello && this.#state === 'hello') return this.#run(this.#onHello(frame.hello));
    if (frame.proof && this.#state === 'proving') return this.#run(this.#onProof(frame.proof));
    const results = this.isOpen ? this.#results : null;
    if (frame.results && results) return this.#run(results.takeBatch(frame.results));
    if (frame.dropped && results) return this.#run(results.takeDropped(frame.dropped));
    if (frame.heartbeat && results) return this.#onHeartbeat(frame.heartbeat);
    throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
  }

  /** Runs a step; a malformed frame closes the link, a failing database asks the agent to wait. */
  #run(step: Promise<void>): void {
    step.catch((error: unknown) => {
      if (error instanceof MalformedFrameError) return this.close('CLOSE_PROTOCOL_ERROR', error.message);
      if (this.#state !== 'closed') this.ports.log.warn({ err: error, nodeId: this.nodeId }, 'link step failed');
      this.close('CLOSE_OVERLOADED', 'storage is unavailable', 1_000);
    });
  }

  async #onHello(hello: NonNullable<DecodedAgentFrame['hello']>): Promise<void> {
    this.#state = 'opening';
    this.helloAt = this.ports.clock.now();
    const answer = await this.#handshake.takeHello(hello);
    if (answer.refused !== null) return this.close(answer.refused, answer.message);
    // the link may have been closed while the database worked
    if (this.#closing !== null) return;
    this.#state = 'proving';
    this.#frames.send(answer.challenge);
  }

  async #onProof(proof: Proof): Promise<void> {
    this.#state = 'opening';
    const proven = this.#handshake.takeProof(proof);
    if (proven.refused !== null) return this.close(proven.refused, proven.message);
    const { opening, epoch } = proven;
    this.nodeId = opening.nodeId;
    this.onAuthenticated();
    const asked = this.ports.store.open({ ...opening, sessionId: this.sessionId });
    this.#opening = asked;
    const opened = await asked;
    if (!opened) {
      this.#opening = null;
      return await this.#refuse(opening.generation);
    }
    this.revision = opened.revision;
    this.resume = {
      runningTaskIds: new Set(proof.runningTaskIds),
      isSameBoot: opened.previous_boot_id === opening.bootId,
    };
    await this.#welcome(proof, epoch);
  }

  async #refuse(generation: number): Promise<void> {
    const { nodeId } = this;
    const node = await this.ports.store.findNode(nodeId);
    if (!node || node.is_banned || node.is_quarantined) return this.close('CLOSE_BANNED', 'this node is banned');
    // an agent that gave this socket up, because the database was slow, came back with the next generation meanwhile
    if (this.#closing !== null) return;
    await this.ports.store.quarantine(nodeId);
    this.ports.log.error({ nodeId, generation }, 'node quarantined: an old generation came back');
    this.close('CLOSE_CLONED', 'this state directory is a copy: its generation was used before');
  }

  async #welcome(proof: Proof, epoch: Buffer): Promise<void> {
    const marks = await this.ports.store.ensureMarks(this.nodeId, epoch);
    // the socket may have closed while the database worked
    if (!this.#frames.isOpen) return this.#onClosed();
    const held = heldNumbers(proof.lanes);
    this.#results = this.#takeResults(epoch, new CatchUp(marks, held));
    this.#state = 'open';
    this.#frames.trust();
    this.#cancelHandshakeTimer();
    this.ports.table.add(this)?.close('CLOSE_REPLACED', 'a newer link of this node took over');
    this.#frames.send({
      welcome: {
        sessionId: this.sessionId,
        marks: lanes.map((lane) => ({ lane: laneCode(lane), mark: marks[lane] })),
        credits,
        config: this.#config(),
        serverTimeMs: this.ports.clock.now(),
        newEpoch: lanes.some((lane) => marks[lane] > held[lane]),
      },
    });
    this.#silence.look();
    // what was said of this node before the table knew the link
    fence(this, this.ports.directory.find(this.nodeId));
    if (!this.isOpen) return;
    this.ports.log.info({ nodeId: this.nodeId, sessionId: this.sessionId }, 'link open');
    await this.ports.work.onOpened(this);
  }

  #takeResults(epoch: Buffer, catchUp: CatchUp): ResultsIn {
    const { nodeId, sessionId } = this;
    return new ResultsIn({
      ingest: this.ports.ingest,
      link: { nodeId, sessionId },
      epoch,
      catchUp,
      hold: (bytes, work) => this.#frames.hold(bytes, work),
      send: (frame) => this.#frames.send(frame),
      onAnswered: (taskId) => this.#jobs.sent.answer(taskId),
      onReplaced: () => this.close('CLOSE_REPLACED', 'this link is no longer the live one'),
      onCaughtUp: () => this.ports.work.onCaughtUp(this),
    });
  }

  #config() {
    return configMessage(this.ports.config(), this.ports.peerAddress);
  }

  #onHeartbeat(heartbeat: NonNullable<DecodedAgentFrame['heartbeat']>): void {
    if (heartbeat.isReply) return;
    this.spoolRows = heartbeat.spoolRows;
    if (heartbeat.selfTest) this.#storeSelfTest(heartbeat.selfTest);
    this.#frames.send(heartbeatReply(heartbeat, this.ports.clock.now()));
  }

  /** What a node says of itself is news, not a result: what can't be stored is told again in ten minutes. */
  #storeSelfTest(message: SelfTestMessage): void {
    this.ports.store.reportSelfTest(this.nodeId, this.sessionId, parseSelfTest(message)).catch((error: unknown) => {
      this.ports.log.warn({ err: error, nodeId: this.nodeId }, 'self-test of a node not stored');
    });
  }

  #onClosed(graceMs: number = LINK_GRACE_MS.agentGone): Promise<void> {
    this.#closing ??= this.#leave(graceMs);
    return this.#closing;
  }

  async #leave(graceMs: number): Promise<void> {
    this.#state = 'closed';
    this.#cancelHandshakeTimer();
    this.#silence.stop();
    this.#frames.end();
    this.ports.table.remove(this);
    this.onAuthenticated();
    if (this.#opening === null) return;
    // whatever the answer was, or became of it: this session must not stay the live one
    await this.#opening.catch(() => {});
    // an agent that stops delivers and leaves in one breath: without its session the batch would be refused
    await this.#results?.settled();
    const { clock, store, log, isStopping, work } = this.ports;
    const close = () => store.close(this.nodeId, this.sessionId, graceMs);
    await recordClose(clock, close, (error) => {
      log.warn({ err: error, nodeId: this.nodeId }, 'closed link not recorded');
      return isStopping() ? 'give up' : 'retry';
    });
    work.onClosed(this);
  }
}
