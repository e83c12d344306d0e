import { randomBytes } from 'node:crypto';
import { isIP } from 'node:net';
import { type Clock, delay } from '@vantage/shared/clock.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import {
  CloseReasonCode,
  type DecodedAgentFrame,
  decodeAgentFrame,
  encodeServerFrame,
  type Lane,
  laneCode,
  laneName,
  lanes,
  MalformedFrameError,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { isSignatureValid, publicKeyFromRaw, signBytes } from '@vantage/shared/protocol/ed25519.js';
import {
  EPOCH_BYTES,
  HANDSHAKE_TIMEOUT_MS,
  MAX_BATCH_ROWS,
  NONCE_BYTES,
  PROTOCOL_VERSIONS,
  WS_CLOSE_BANNED,
  WS_CLOSE_LINK,
} from '@vantage/shared/protocol/limits.js';
import { agentProofBytes, type LinkTranscript, serverProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Ingest } from '../ingest/index.js';
import { fence, type NodeNewsSource } from './fencing.js';
import { Inflow } from './inflow.js';
import type { LinkStore } from './link-store.js';
import type { LinkTable } from './link-table.js';
import { parseSelfTest, type SelfTestMessage } from './self-test.js';
import { SentJobs } from './sent-jobs.js';
import type { ServerIdentity } from './server-identity.js';

// One socket of one agent.
//
//   hello ──Hello──> proving ──Proof──> opening ──stored──> open ──> closed
//     └──────── anything else, 10 s, a bad signature ────────────────^
//
// Nothing is allocated for a peer before its proof but this object. From `open` on every malformed frame closes this
// link and no other.

type State = 'hello' | 'proving' | 'opening' | 'open' | 'closed';
export type CloseReason = keyof typeof CloseReasonCode;

/** Milliseconds after which pending work is lost when an agent's socket closes, and when its replica goes away. */
export const LINK_GRACE_MS = { agentGone: 2_000, replicaGone: 15_000 };

// it is this replica that goes away, for good or until its storage is back: the agent still has its work
const invitesBack = new Set<CloseReason>(['CLOSE_DRAINING', 'CLOSE_OVERLOADED']);

// rows an agent may have in flight per lane, and may have unstored here before it counts as hostile
const CREDIT_ROWS = 2_000;
const MAX_UNSTORED_ROWS = 10 * CREDIT_ROWS;
// bytes of a frame before the proof: a megabyte of nothing takes 200 ms to decode (2026-11)
const MAX_HANDSHAKE_FRAME_BYTES = 64 * 1024;
// bytes a peer may leave unread before it counts as hostile
const MAX_UNREAD_BYTES = 8 * 1024 * 1024;
// a job unanswered this long after its deadline is no load any more
const GIVE_UP_AFTER_MS = 30_000;
// heartbeats missed before a peer counts as dead
const MISSED_HEARTBEATS = 3;
const RECORD_RETRY_MS = 1_000;

/** What agents are told with the welcome. */
export interface LinkConfig {
  readonly heartbeatMs: number;
  readonly busyHeartbeatMs: number;
  readonly ownAddresses: readonly string[];
  readonly denied: readonly string[];
  readonly canaries: readonly string[];
}

/** What happens to work when links come and go. */
export interface LinkWork {
  /** The link is open: give the node what waits for it. */
  onOpened(session: LinkSession): Promise<void>;
  /** Everything the node held when it connected is stored now. */
  onCaughtUp(session: LinkSession): Promise<void>;
  /** The link is gone and the database knows. */
  onClosed(session: LinkSession): void;
}

/** What a session uses. */
export interface LinkPorts {
  readonly store: LinkStore;
  readonly identity: ServerIdentity;
  readonly audience: string;
  readonly table: LinkTable;
  readonly directory: NodeNewsSource;
  readonly ingest: Ingest;
  readonly work: LinkWork;
  readonly config: () => LinkConfig;
  readonly isStopping: () => boolean;
  /** Where the agent connects from: its own address, as the world sees it, '' when unknown. */
  readonly peerAddress: string;
  readonly clock: Clock;
  readonly log: Logger;
}

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
  readonly #serverNonce = randomBytes(NONCE_BYTES);
  readonly #jobs = new SentJobs();
  readonly #inflow: Inflow;
  #state: State = 'hello';
  #transcript: LinkTranscript | null = null;
  #hello: { agentVersion: string; capabilities: string[] } | null = null;
  #epoch: Buffer = Buffer.alloc(0);
  #unstoredRows = 0;
  /** Settles when the last batch, and the last dropped range, are stored or have failed. */
  #batchStored: Promise<unknown> = Promise.resolve();
  #rangeStored: Promise<unknown> | null = null;
  #catchUpTo: Record<Lane, number> | null = null;
  #lastReceivedAt: number;
  #busySince = 0;
  #cancelTimer: (() => void) | null = null;
  /** Settles when the database has answered whether this is the live session; null: it was not asked. */
  #opening: Promise<unknown> | null = null;
  #closing: Promise<void> | null = null;

  constructor(
    private readonly socket: WebSocket,
    private readonly ports: LinkPorts,
    private readonly onAuthenticated: () => void,
  ) {
    this.#lastReceivedAt = ports.clock.monotonicMs();
    this.#inflow = new Inflow({
      clock: ports.clock,
      pause: () => socket.pause(),
      resume: () => {
        this.#lastReceivedAt = ports.clock.monotonicMs();
        socket.resume();
      },
    });
    socket.on('message', (data, isBinary) => this.#onMessage(data as Buffer, isBinary));
    socket.on('close', () => void this.#onClosed());
    socket.on('error', () => socket.terminate());
    this.#cancelTimer = ports.clock.after(HANDSHAKE_TIMEOUT_MS, () =>
      this.close('CLOSE_PROTOCOL_ERROR', 'handshake took too long'),
    );
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  /** Jobs sent over this link and not answered: the load this replica knows of. */
  get inFlight(): number {
    return this.#jobs.owed;
  }

  /** Whether nothing the node held when it connected is missing any more. */
  get isCaughtUp(): boolean {
    return this.#catchUpTo === null;
  }

  /** Whether the node got or answered this job over this link. */
  hasSent(taskId: string): boolean {
    return this.#jobs.has(taskId);
  }

  /** Sends a stored task to the node, unless it has had or answered it over this link. */
  sendJob(job: { taskId: string; probeType: string; specJson: string; deadlineMs: number; caller: string }): void {
    if (this.#state !== 'open' || this.#jobs.has(job.taskId)) return;
    const wasIdle = this.#jobs.owed === 0;
    const nowMs = this.ports.clock.monotonicMs();
    if (wasIdle) this.#busySince = nowMs;
    this.#jobs.add(job.taskId, nowMs + job.deadlineMs + GIVE_UP_AFTER_MS);
    this.#send({
      job: {
        taskId: job.taskId,
        probeType: job.probeType,
        specJson: Buffer.from(job.specJson),
        deadlineMs: job.deadlineMs,
        caller: job.caller,
      },
    });
    if (wasIdle) this.#watchSilence();
  }

  /** Tells the agent its configuration again after it changed. */
  sendConfig(): void {
    if (this.#state === 'open') this.#send({ config: this.#config() });
  }

  /** Says why and closes; the socket is cut when the peer doesn't answer. */
  close(reason: CloseReason, message: string, retryAfterMs = 0): void {
    if (this.#state === 'closed') return;
    this.ports.log.info({ nodeId: this.nodeId || undefined, reason, message }, 'closing link');
    this.#send({ close: { reason: CloseReasonCode[reason], message, retryAfterMs } });
    this.socket.close(reason === 'CLOSE_BANNED' ? WS_CLOSE_BANNED : WS_CLOSE_LINK, message.slice(0, 100));
    this.ports.clock.after(1_000, () => this.socket.terminate(), { unref: true });
    void this.#onClosed(invitesBack.has(reason) ? LINK_GRACE_MS.replicaGone : LINK_GRACE_MS.agentGone);
  }

  /** Resolves when the database knows that this link is gone. */
  async ended(): Promise<void> {
    await this.#closing;
  }

  /** A peer that asks and does not read the answers would fill this process's memory. */
  #send(frame: ServerFrame): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.socket.bufferedAmount > MAX_UNREAD_BYTES) {
      this.ports.log.warn({ nodeId: this.nodeId || undefined }, 'link does not read what it is sent');
      this.socket.terminate();
    } else this.socket.send(encodeServerFrame(frame));
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#state === 'closed') return;
    const startedMs = this.ports.clock.monotonicMs();
    this.#lastReceivedAt = startedMs;
    try {
      if (!isBinary) throw new MalformedFrameError('text message');
      if (this.#state !== 'open' && data.length > MAX_HANDSHAKE_FRAME_BYTES)
        throw new MalformedFrameError('handshake frame too large');
      this.#onFrame(decodeAgentFrame(data));
    } catch (error) {
      if (!(error instanceof MalformedFrameError)) throw error;
      this.close('CLOSE_PROTOCOL_ERROR', error.message);
    }
    this.#inflow.spend(this.ports.clock.monotonicMs() - startedMs);
  }

  #onFrame(frame: DecodedAgentFrame): void {
    if (frame.hello && this.#state === 'hello') return this.#run(this.#onHello(frame.hello));
    if (frame.proof && this.#state === 'proving') return this.#run(this.#onProof(frame.proof));
    if (this.#state !== 'open') throw new MalformedFrameError(`unexpected frame "${frame.body}"`);
    if (frame.results) return this.#run(this.#onResults(frame.results));
    if (frame.dropped) return this.#run(this.#onDropped(frame.dropped));
    if (frame.heartbeat) return this.#onHeartbeat(frame.heartbeat);
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
    checkHello(hello);
    this.helloAt = this.ports.clock.now();
    const protocolVersion = PROTOCOL_VERSIONS.find((version) => hello.protocolVersions.includes(version));
    if (protocolVersion === undefined) {
      return this.close(
        'CLOSE_UPGRADE_REQUIRED',
        `this control plane speaks link protocol ${PROTOCOL_VERSIONS.join(', ')}`,
      );
    }
    const node = await this.ports.store.findNode(hello.nodeId);
    if (!node) return this.close('CLOSE_UNAUTHENTICATED', 'unknown node');
    this.#transcript = {
      audience: this.ports.audience,
      nodeId: hello.nodeId,
      publicKey: node.public_key,
      agentNonce: hello.agentNonce,
      serverNonce: this.#serverNonce,
      protocolVersion,
      bootId: hello.bootId,
      generation: hello.generation,
    };
    this.#hello = { agentVersion: hello.agentVersion, capabilities: hello.capabilities };
    this.#state = 'proving';
    this.#send({
      challenge: {
        serverNonce: this.#serverNonce,
        protocolVersion,
        serverSignature: signBytes(this.ports.identity.privateKey, serverProofBytes(this.#transcript)),
      },
    });
  }

  async #onProof(proof: NonNullable<DecodedAgentFrame['proof']>): Promise<void> {
    const transcript = this.#transcript;
    const hello = this.#hello;
    if (!transcript || !hello) throw new MalformedFrameError('proof before hello');
    this.#state = 'opening';
    const key = publicKeyFromRaw(transcript.publicKey);
    if (!isSignatureValid(key, agentProofBytes(transcript), proof.signature)) {
      return this.close('CLOSE_UNAUTHENTICATED', 'the proof does not verify');
    }
    if (proof.epoch.length !== EPOCH_BYTES) throw new MalformedFrameError('epoch of wrong length');
    this.#epoch = Buffer.from(proof.epoch);
    this.nodeId = transcript.nodeId;
    this.onAuthenticated();
    const opening = this.ports.store.open({
      nodeId: this.nodeId,
      sessionId: this.sessionId,
      bootId: transcript.bootId,
      generation: transcript.generation,
      agentVersion: hello.agentVersion.slice(0, 32),
      capabilities: hello.capabilities,
    });
    this.#opening = opening;
    const opened = await opening;
    if (!opened) {
      this.#opening = null;
      return await this.#refuse(transcript);
    }
    this.revision = opened.revision;
    this.resume = {
      runningTaskIds: new Set(proof.runningTaskIds),
      isSameBoot: opened.previous_boot_id === transcript.bootId,
    };
    await this.#welcome(proof);
  }

  async #refuse(transcript: LinkTranscript): Promise<void> {
    const node = await this.ports.store.findNode(transcript.nodeId);
    if (!node || node.is_banned || node.is_quarantined) return this.close('CLOSE_BANNED', 'this node is banned');
    // an agent that gave this socket up, because the database was slow, came back with the next generation meanwhile
    if (this.#closing !== null) return;
    await this.ports.store.quarantine(transcript.nodeId);
    this.ports.log.error(
      { nodeId: transcript.nodeId, generation: transcript.generation },
      'node quarantined: an old generation came back',
    );
    this.close('CLOSE_CLONED', 'this state directory is a copy: its generation was used before');
  }

  async #welcome(proof: NonNullable<DecodedAgentFrame['proof']>): Promise<void> {
    const marks = await this.ports.store.ensureMarks(this.nodeId, this.#epoch);
    // the socket may have closed while the database worked
    if (this.socket.readyState !== this.socket.OPEN) return this.#onClosed();
    const held = heldNumbers(proof.lanes);
    this.#catchUpTo = missingNumbers(marks, held);
    this.#state = 'open';
    this.ports.table.add(this)?.close('CLOSE_REPLACED', 'a newer link of this node took over');
    this.#send({
      welcome: {
        sessionId: this.sessionId,
        marks: lanes.map((lane) => ({ lane: laneCode(lane), mark: marks[lane] })),
        credits: lanes.map((lane) => ({ lane: laneCode(lane), rows: CREDIT_ROWS })),
        config: this.#config(),
        serverTimeMs: this.ports.clock.now(),
        newEpoch: lanes.some((lane) => marks[lane] > held[lane]),
      },
    });
    this.#watchSilence();
    // what was said of this node before the table knew the link
    fence(this, this.ports.directory.find(this.nodeId));
    if (!this.isOpen) return;
    this.ports.log.info({ nodeId: this.nodeId, sessionId: this.sessionId }, 'link open');
    await this.ports.work.onOpened(this);
  }

  #config() {
    const { heartbeatMs, busyHeartbeatMs, ownAddresses, denied, canaries } = this.ports.config();
    const { peerAddress } = this.ports;
    const own = isIP(peerAddress) === 0 ? ownAddresses : new Set([...ownAddresses, peerAddress]);
    return { heartbeatMs, busyHeartbeatMs, ownAddresses: [...own], denied: [...denied], canaries: [...canaries] };
  }

  async #onResults(batch: NonNullable<DecodedAgentFrame['results']>): Promise<void> {
    const lane = laneName(batch.lane);
    const rows = batch.results;
    if (rows.length === 0 || rows.length > MAX_BATCH_ROWS) throw new MalformedFrameError('batch of wrong size');
    if (batch.first < 1 || batch.first > Number.MAX_SAFE_INTEGER - rows.length)
      throw new MalformedFrameError('sequence out of range');
    this.#countUnstored(rows.length);
    for (const row of rows) this.#jobs.answer(row.taskId);
    const store = () =>
      this.ports.ingest.store({
        nodeId: this.nodeId,
        sessionId: this.sessionId,
        epoch: Buffer.from(batch.epoch),
        lane,
        first: batch.first,
        results: rows,
      });
    // a dropped range before this batch takes the numbers that the batch follows
    const storing = this.#rangeStored === null ? store() : this.#rangeStored.then(store);
    this.#batchStored = storing.catch(() => {});
    const bytes = rows.reduce((sum, { resultJson }) => sum + resultJson.length, 0);
    const outcome = await this.#inflow.hold(bytes, storing);
    this.#unstoredRows -= rows.length;
    await this.#acknowledge(batch.epoch, lane, outcome);
  }

  #countUnstored(rows: number): void {
    this.#unstoredRows += rows;
    if (this.#unstoredRows > MAX_UNSTORED_ROWS) throw new MalformedFrameError('more rows in flight than were granted');
  }

  async #onDropped(dropped: NonNullable<DecodedAgentFrame['dropped']>): Promise<void> {
    const lane = laneName(dropped.lane);
    if (dropped.first < 1 || dropped.last < dropped.first) throw new MalformedFrameError('dropped range out of order');
    this.#countUnstored(1);
    const store = () =>
      this.ports.ingest.storeGap({
        nodeId: this.nodeId,
        sessionId: this.sessionId,
        epoch: Buffer.from(dropped.epoch),
        lane,
        first: dropped.first,
        last: dropped.last,
        reason: dropped.reason.slice(0, 64),
      });
    // in the order they were sent, and one transaction of a link at a time: they share the pool with everybody
    const storing = Promise.all([this.#batchStored, this.#rangeStored]).then(store);
    const stored = storing.catch(() => {});
    this.#rangeStored = stored;
    const outcome = await storing;
    if (this.#rangeStored === stored) this.#rangeStored = null;
    this.#unstoredRows -= 1;
    await this.#acknowledge(dropped.epoch, lane, outcome);
  }

  async #acknowledge(epoch: Uint8Array, lane: Lane, outcome: Awaited<ReturnType<Ingest['store']>>): Promise<void> {
    if (outcome.kind === 'refused') return this.close('CLOSE_REPLACED', 'this link is no longer the live one');
    this.#send({
      ack: {
        epoch,
        lane: laneCode(lane),
        mark: outcome.mark,
        rejects: outcome.kind === 'stored' ? [...outcome.rejects] : [],
        rewind: outcome.kind === 'gap',
      },
    });
    if (this.#catchUpTo && this.#epoch.equals(epoch) && outcome.mark >= this.#catchUpTo[lane]) {
      this.#catchUpTo = { ...this.#catchUpTo, [lane]: 0 };
      if (lanes.some((name) => (this.#catchUpTo?.[name] ?? 0) > 0)) return;
      this.#catchUpTo = null;
      await this.ports.work.onCaughtUp(this);
    }
  }

  #onHeartbeat(heartbeat: NonNullable<DecodedAgentFrame['heartbeat']>): void {
    if (heartbeat.isReply) return;
    this.spoolRows = heartbeat.spoolRows;
    if (heartbeat.selfTest) this.#storeSelfTest(heartbeat.selfTest);
    const now = this.ports.clock.now();
    this.#send({
      heartbeat: {
        sequence: heartbeat.sequence,
        isReply: true,
        originMs: heartbeat.transmitMs,
        receiveMs: now,
        transmitMs: now,
      },
    });
  }

  /** What a node says of itself is news, not a result: what can't be stored is told again in ten minutes. */
  #storeSelfTest(message: SelfTestMessage): void {
    this.ports.store.reportSelfTest(this.nodeId, this.sessionId, parseSelfTest(message)).catch((error: unknown) => {
      this.ports.log.warn({ err: error, nodeId: this.nodeId }, 'self-test of a node not stored');
    });
  }

  /** Agents send heartbeats, faster with work in flight: silence means a dead peer, which TCP alone never tells. */
  #watchSilence(): void {
    this.#cancelTimer?.();
    if (this.#state !== 'open') return;
    const { heartbeatMs, busyHeartbeatMs } = this.ports.config();
    const nowMs = this.ports.clock.monotonicMs();
    this.#jobs.giveUp(nowMs);
    const isBusy = this.#jobs.owed > 0;
    const limitMs = MISSED_HEARTBEATS * (isBusy ? busyHeartbeatMs : heartbeatMs);
    const heardAt = isBusy ? Math.max(this.#lastReceivedAt, this.#busySince) : this.#lastReceivedAt;
    // a peer that is kept waiting can't be heard
    const silentMs = this.#inflow.isWaiting ? 0 : nowMs - heardAt;
    if (silentMs < limitMs) {
      this.#cancelTimer = this.ports.clock.after(limitMs - silentMs, () => this.#watchSilence());
      return;
    }
    // when it was this process that stood still, what the peer sent meanwhile is read before an immediate runs
    const lastReceivedAt = this.#lastReceivedAt;
    setImmediate(() => {
      if (this.#lastReceivedAt !== lastReceivedAt) return this.#watchSilence();
      this.ports.log.warn({ nodeId: this.nodeId, silentMs: Math.round(silentMs) }, 'link is silent');
      this.socket.terminate();
    });
  }

  #onClosed(graceMs: number = LINK_GRACE_MS.agentGone): Promise<void> {
    this.#closing ??= this.#leave(graceMs);
    return this.#closing;
  }

  async #leave(graceMs: number): Promise<void> {
    this.#state = 'closed';
    this.#cancelTimer?.();
    this.#inflow.end();
    this.ports.table.remove(this);
    this.onAuthenticated();
    if (this.#opening === null) return;
    // whatever the answer was, or became of it: this session must not stay the live one
    await this.#opening.catch(() => {});
    // an agent that stops delivers and leaves in one breath: without its session the batch would be refused
    await Promise.all([this.#batchStored, this.#rangeStored]);
    await this.#recordClose(graceMs);
    this.ports.work.onClosed(this);
  }

  /** Tries until the database knows; when this replica ends first, the others notice by its lease. */
  async #recordClose(graceMs: number): Promise<void> {
    while (true) {
      try {
        return await this.ports.store.close(this.nodeId, this.sessionId, graceMs);
      } catch (error) {
        this.ports.log.warn({ err: error, nodeId: this.nodeId }, 'closed link not recorded');
        if (this.ports.isStopping()) return;
        await delay(this.ports.clock, RECORD_RETRY_MS);
      }
    }
  }
}

/** What each lane still has to deliver up to; 0 for a lane that is complete, null when all are. */
function missingNumbers(marks: Record<Lane, number>, held: Record<Lane, number>): Record<Lane, number> | null {
  const missing = { task: 0, check: 0 };
  for (const lane of lanes) if (marks[lane] < held[lane]) missing[lane] = held[lane];
  return lanes.some((lane) => missing[lane] > 0) ? missing : null;
}

function checkHello(hello: NonNullable<DecodedAgentFrame['hello']>): void {
  const isSound =
    hello.nodeId.length <= 64 &&
    hello.bootId.length > 0 &&
    hello.bootId.length <= 64 &&
    hello.agentNonce.length === NONCE_BYTES &&
    hello.protocolVersions.length <= 16 &&
    hello.capabilities.length <= 32 &&
    hello.capabilities.every((name) => /^[a-z0-9_.-]{1,32}$/.test(name)) &&
    !/\0/.test(hello.nodeId + hello.bootId + hello.agentVersion) &&
    Number.isSafeInteger(hello.generation) &&
    hello.generation >= 1;
  if (!isSound) throw new MalformedFrameError('hello out of range');
}

/** Highest number per lane the agent ever assigned in its epoch. */
function heldNumbers(states: readonly { lane?: number | null; last?: number | null }[]): Record<Lane, number> {
  const held: Record<Lane, number> = { task: 0, check: 0 };
  for (const state of states) {
    const last = state.last ?? 0;
    if (!Number.isSafeInteger(last)) throw new MalformedFrameError('sequence out of range');
    held[laneName(state.lane)] = last;
  }
  return held;
}
