import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { until } from '@vantage/shared/_support/until.js';
import { type MeasurementType, measurementOf } from '@vantage/shared/probe-types/index.js';
import type { FrameCodec } from '@vantage/shared/protocol/_support/schema-codec.js';
import {
  type AgentFrame,
  CloseReasonCode,
  type DecodedServerFrame,
  decodeServerFrame,
  encodeAgentFrame,
  type Lane,
  laneCode,
  type ResultMessage,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { EPOCH_BYTES, LINK_PATH, LINK_SUBPROTOCOL, NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { agentProofBytes, enrollmentProofBytes } from '@vantage/shared/protocol/transcript.js';
import type { Test } from 'tap';
import { WebSocket } from 'ws';
import type { TestApi } from './stack.js';

/** Declaration of a test's agent when it enrolls. */
export interface Declared {
  readonly country?: string;
  readonly region?: string;
  readonly province?: string;
  readonly city?: string;
  readonly asn?: number;
  readonly provider?: string;
  readonly tags?: readonly string[];
}

export interface PeerIdentity {
  readonly nodeId: string;
  readonly privateKey: KeyObject;
  readonly audience: string;
  /** Identity returned by enrollment. */
  readonly controlUrls: readonly string[];
}

/** Enrolls a node whose agent is the test itself, by a token of its own unless one is given. */
export async function enrollPeer(
  api: TestApi,
  options: {
    token?: string;
    name?: string;
    declared?: Declared;
    capabilities?: string[];
    privateKey?: KeyObject;
    audience?: string;
    forwardedFor?: string;
  } = {},
): Promise<PeerIdentity> {
  const token = options.token ?? (await api.call('POST', '/v1/nodes/enrollment-tokens', { body: {} })).body.data.token;
  const privateKey = options.privateKey ?? generateKeyPairSync('ed25519').privateKey;
  const audience = options.audience ?? api.url;
  const request = enrollBody(token, privateKey, audience, options);
  const { forwardedFor } = options;
  const headers: Record<string, string> = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const answer = await api.call('POST', '/v1/nodes/enroll', { body: request, as: null, headers });
  if (answer.status !== 201) throw new Error(`enrollment refused: ${JSON.stringify(answer.body)}`);
  const { node_id: nodeId, audience: enrolledAudience, control_urls: controlUrls } = answer.body.data;
  return { nodeId, privateKey, audience: enrolledAudience, controlUrls };
}

/** Body of POST /v1/nodes/enroll as an agent builds it. */
export function enrollBody(
  token: string,
  privateKey: KeyObject,
  audience: string,
  options: { name?: string; declared?: Declared; capabilities?: string[] } = {},
) {
  const publicKey = rawPublicKey(privateKey);
  return {
    token,
    public_key: publicKey.toString('base64'),
    proof: signBytes(privateKey, enrollmentProofBytes(audience, token, publicKey)).toString('base64'),
    name: options.name ?? 'peer',
    hostname: 'peer.test',
    version: '0.1.0',
    os: 'linux',
    arch: 'x64',
    capabilities: options.capabilities ?? ['icmp', 'icmp_echo'],
    ...(options.declared === undefined ? {} : { declared: options.declared }),
  };
}

export interface PeerOptions {
  readonly bootId?: string;
  readonly generation?: number;
  readonly protocolVersions?: readonly number[];
  readonly epoch?: Buffer;
  /** Highest task number ever assigned. */
  readonly last?: number;
  readonly agentVersion?: string;
  readonly runningTaskIds?: readonly string[];
  /** Default: icmp. */
  readonly capabilities?: readonly string[];
  /** Answers every job at once with a successful result. */
  readonly isAnswering?: boolean;
  /** Awaited between the challenge and the proof. */
  readonly beforeProof?: () => Promise<void>;
  /** Sends heartbeats, without which a link is cut: after half a minute with a job, after 45 s without; default: true. */
  readonly isBeating?: boolean;
  /** Source address of its socket; default: the system's choice. */
  readonly localAddress?: string;
  /** Number of an additional lane that its proof names. */
  readonly strangeLane?: number;
  /** Answers the challenge; default: true. */
  readonly isProving?: boolean;
  /** Codec of its frames; default: that of this build. */
  readonly codec?: Pick<FrameCodec, 'encodeAgentFrame' | 'decodeServerFrame'>;
  /** Forwarding headers, as a proxy would set them; default: none. */
  readonly forwardedFor?: string;
}

let generations = 0;

/** An agent controlled by the test, on a real socket. Everything the control plane sends is kept in `frames`. */
export class PeerAgent {
  readonly frames: DecodedServerFrame[] = [];
  readonly epoch: Buffer;
  closeCode: number | null = null;
  /** State of the spool that its heartbeats report. */
  spool = {};
  readonly nonce = randomBytes(NONCE_BYTES);
  readonly #bootId: string;
  readonly #generation: number;
  readonly #isAnswering: boolean;
  readonly #codec: NonNullable<PeerOptions['codec']>;
  readonly #answered = new Set<string>();
  #last: number;

  private constructor(
    private readonly socket: WebSocket,
    readonly identity: PeerIdentity,
    readonly options: PeerOptions,
  ) {
    this.epoch = options.epoch ?? randomBytes(EPOCH_BYTES);
    this.#last = options.last ?? 0;
    this.#isAnswering = options.isAnswering ?? true;
    this.#bootId = options.bootId ?? 'boot-1';
    generations += 1;
    this.#generation = options.generation ?? generations;
    this.#codec = options.codec ?? { encodeAgentFrame, decodeServerFrame };
    socket.on('message', (data) => this.#take(this.#codec.decodeServerFrame(data as Buffer)));
    const beat = () => {
      const load = { running: this.#running, jobsReceived: this.jobs.length };
      this.send({ heartbeat: { sequence: 1, transmitMs: 1, ...load, ...this.spool } });
    };
    const isBeating = options.isBeating ?? true;
    const beating = isBeating ? setInterval(() => this.#isWelcome && beat(), 250) : undefined;
    socket.on('close', (code) => {
      clearInterval(beating);
      this.closeCode = code;
    });
    socket.on('error', () => {});
  }

  /** Connects and sends hello; the handshake continues by itself. */
  static async dial(t: Test, url: string, identity: PeerIdentity, options: PeerOptions = {}): Promise<PeerAgent> {
    const socket = new WebSocket(new URL(LINK_PATH, url.replace(/^http/, 'ws')), LINK_SUBPROTOCOL, {
      headers: options.forwardedFor === undefined ? {} : { 'x-forwarded-for': options.forwardedFor },
      ...(options.localAddress === undefined ? {} : { localAddress: options.localAddress }),
    });
    t.teardown(() => socket.terminate());
    const peer = new PeerAgent(socket, identity, options);
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    peer.#hello();
    return peer;
  }

  /** Connects and waits for the welcome. */
  static async connect(t: Test, url: string, identity: PeerIdentity, options: PeerOptions = {}): Promise<PeerAgent> {
    const peer = await PeerAgent.dial(t, url, identity, options);
    await peer.waitFor('the welcome', (frame) => frame.welcome !== null);
    return peer;
  }

  get isOpen(): boolean {
    return this.closeCode === null;
  }

  get #isWelcome(): boolean {
    return this.socket.readyState === this.socket.OPEN && this.frames.some((frame) => frame.welcome !== null);
  }

  send(frame: AgentFrame): void {
    for (const { taskId } of frame.results?.results ?? []) if (taskId) this.#answered.add(taskId);
    this.socket.send(this.#codec.encodeAgentFrame(frame));
  }

  sendBytes(bytes: Uint8Array | string): void {
    this.socket.send(bytes);
  }

  /** Sends a fragment of an unfinished message. */
  sendFragment(bytes: Uint8Array): void {
    this.socket.send(bytes, { fin: false });
  }

  /** Stops reading from its socket. */
  stopReading(): void {
    this.socket.pause();
  }

  /** Resolves when everything sent has left, or never will. */
  flushed(): Promise<void> {
    return new Promise((resolve) => this.socket.ping(undefined, undefined, () => resolve()));
  }

  /** Closes the socket cleanly, after everything sent. */
  leave(): void {
    this.socket.close();
  }

  /** Destroys the socket without a close frame, as a killed process does. */
  cut(): void {
    this.socket.terminate();
  }

  /** The first frame, past or future, that satisfies `isIt`. */
  async waitFor(what: string, isIt: (frame: DecodedServerFrame) => boolean): Promise<DecodedServerFrame> {
    await until(what, () => this.frames.some(isIt) || !this.isOpen);
    const found = this.frames.find(isIt);
    if (!found) throw new Error(`the link closed (${this.closeCode}) before ${what}`);
    return found;
  }

  async waitForClose(): Promise<{ code: number; reason: string | null }> {
    await until('the link to close', () => !this.isOpen);
    const close = this.frames.find((frame) => frame.close !== null)?.close;
    return { code: this.closeCode ?? 0, reason: close ? (CloseReasonCode[close.reason] ?? null) : null };
  }

  /** Sends results under the next numbers. */
  sendResults(results: readonly ResultMessage[], first = this.#last + 1, lane: Lane = 'task'): number {
    this.#last = Math.max(this.#last, first + results.length - 1);
    this.send({ results: { epoch: this.epoch, lane: laneCode(lane), first, results: [...results] } });
    return first;
  }

  /** Jobs received so far. */
  get jobs(): { taskId: string; probeType: string; caller: string }[] {
    return this.frames.flatMap((frame) => (frame.job ? [frame.job] : []));
  }

  /** Jobs received and not answered: an agent that reports running none has no such jobs. */
  get #running(): number {
    return this.jobs.filter(({ taskId }) => !this.#answered.has(taskId)).length;
  }

  #hello(): void {
    this.send({
      hello: {
        nodeId: this.identity.nodeId,
        agentNonce: this.nonce,
        protocolVersions: [...(this.options.protocolVersions ?? [1])],
        bootId: this.#bootId,
        generation: this.#generation,
        agentVersion: this.options.agentVersion ?? '0.1.0',
        capabilities: [...(this.options.capabilities ?? ['icmp', 'icmp_echo'])],
      },
    });
  }

  #take(frame: DecodedServerFrame): void {
    this.frames.push(frame);
    const { challenge } = frame;
    if (challenge && this.options.isProving !== false) {
      const prove = () => this.#prove(challenge.serverNonce, challenge.protocolVersion);
      if (this.options.beforeProof) void this.options.beforeProof().then(prove);
      else prove();
    }
    if (frame.job && this.#isAnswering)
      this.sendResults([successOf(frame.job.taskId, frame.job.probeType, frame.job.specJson)]);
  }

  #prove(serverNonce: Uint8Array, protocolVersion: number): void {
    const { nodeId, privateKey, audience } = this.identity;
    const proof = agentProofBytes({
      audience,
      nodeId,
      publicKey: rawPublicKey(privateKey),
      agentNonce: this.nonce,
      serverNonce,
      protocolVersion,
      bootId: this.#bootId,
      generation: this.#generation,
    });
    this.send({
      proof: {
        signature: signBytes(privateKey, proof),
        epoch: this.epoch,
        lanes: [
          { lane: laneCode('task'), last: this.#last, acked: 0 },
          ...(this.options.strangeLane === undefined
            ? []
            : [{ lane: this.options.strangeLane as 1, last: 5, acked: 5 }]),
        ],
        runningTaskIds: [...(this.options.runningTaskIds ?? [])],
      },
    });
  }
}

/** A complete successful result of a job. */
export function successOf(
  taskId: string,
  probeType: string,
  specJson: Uint8Array | string = '{"params":{}}',
): ResultMessage {
  const spec = JSON.parse(Buffer.from(specJson as Uint8Array).toString() || '{"params":{}}');
  const result = {
    ...(measurementOf(probeType as MeasurementType).blank(spec) as object),
    success: true,
    error: null,
    started_at: new Date().toISOString(),
    duration_ms: 1,
    disturbed: false,
    loop_lag_ms: 0,
  };
  return {
    taskId,
    probeType,
    resultJson: Buffer.from(JSON.stringify(result)),
    finishedAtMs: Date.now(),
    clockOffsetMs: 0,
    uncertaintyMs: -1,
  };
}
