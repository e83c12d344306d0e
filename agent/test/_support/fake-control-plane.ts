import { generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { until } from '@vantage/shared/_support/until.js';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import type { FrameCodec } from '@vantage/shared/protocol/_support/schema-codec.js';
import {
  type AgentFrame,
  CloseReasonCode,
  type DecodedAgentFrame,
  decodeAgentFrame,
  encodeServerFrame,
  type Lane,
  laneCode,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { LINK_PATH, NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { type LinkTranscript, serverProofBytes, versionRefusalBytes } from '@vantage/shared/protocol/transcript.js';
import type { Test } from 'tap';
import { type WebSocket, WebSocketServer } from 'ws';

export type AgentBody = keyof AgentFrame & NonNullable<DecodedAgentFrame['body']>;
type Body<B extends AgentBody> = NonNullable<DecodedAgentFrame[B]>;

/** Contents of the welcome of a scripted control plane. */
export interface WelcomeScript {
  readonly marks?: Partial<Record<Lane, number>>;
  readonly credits?: Partial<Record<Lane, number>>;
  readonly newEpoch?: boolean;
  readonly heartbeatMs?: number;
  readonly busyHeartbeatMs?: number;
  readonly denied?: readonly string[];
  readonly controlUrls?: readonly string[];
  /** Number of an additional lane that marks and credits name. */
  readonly strangeLane?: number;
}

/** A peer that speaks the link protocol over a real socket and does what the test requests, and nothing by itself except reply to heartbeats. */
export class FakeControlPlane {
  keys = generateKeyPairSync('ed25519');
  nodeKeys = generateKeyPairSync('ed25519');
  readonly peers: FakePeer[] = [];
  /** Raw key of the node; that of `nodeKeys` until one enrolls. */
  nodePublicKey = rawPublicKey(this.nodeKeys.publicKey);
  /** Bodies of enrollment requests; every one is let in as `nodeId`. */
  readonly enrollments: Record<string, unknown>[] = [];
  readonly nodeId = newId(idPrefixes.node);
  codec: Pick<FrameCodec, 'encodeServerFrame' | 'decodeAgentFrame'> = { encodeServerFrame, decodeAgentFrame };
  /** Answers upgrades with this status instead. */
  refuseWith: { status: number; headers: Record<string, string> } | null = null;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });
  #taken = 0;
  url = '';
  /** Name that both sides sign; '': its own URL. */
  audience = '';

  private constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
    this.#server.on('upgrade', (request, socket, head) => {
      if (this.refuseWith !== null || request.url !== LINK_PATH) {
        const { status, headers } = this.refuseWith ?? { status: 404, headers: {} };
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(`HTTP/1.1 ${status} No\r\n${lines.join('')}Content-Length: 0\r\nConnection: close\r\n\r\n`);
        return;
      }
      this.#sockets.handleUpgrade(request, socket, head, (webSocket) =>
        this.peers.push(new FakePeer(webSocket, this, request.socket.remoteAddress ?? '')),
      );
    });
  }

  /** Listens on a port of 127.0.0.1 until the test ends. */
  static async start(t: Test): Promise<FakeControlPlane> {
    const controlPlane = new FakeControlPlane();
    controlPlane.#server.listen(0, '127.0.0.1');
    await once(controlPlane.#server, 'listening');
    controlPlane.url = `http://127.0.0.1:${(controlPlane.#server.address() as AddressInfo).port}`;
    t.teardown(() => controlPlane.stop());
    return controlPlane;
  }

  /** Becomes another replica of `first`: the same identity, the same node. */
  adopt(first: FakeControlPlane): void {
    this.keys = first.keys;
    this.nodeKeys = first.nodeKeys;
    this.nodePublicKey = first.nodePublicKey;
    this.audience = first.url;
  }

  /** The next link that was not waited for yet. */
  async nextPeer(): Promise<FakePeer> {
    await until(`link number ${this.#taken + 1}`, () => this.peers.length > this.#taken);
    this.#taken += 1;
    return this.peers[this.#taken - 1] as FakePeer;
  }

  /** The next link, welcomed. */
  async nextOpenPeer(script: WelcomeScript = {}): Promise<FakePeer> {
    const peer = await this.nextPeer();
    await peer.welcome(script);
    return peer;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url !== '/v1/nodes/enroll') return void response.writeHead(200).end('ok');
    const body = JSON.parse(await text(request)) as Record<string, unknown>;
    this.enrollments.push(body);
    this.nodePublicKey = Buffer.from(String(body['public_key']), 'base64');
    const data = {
      node_id: this.nodeId,
      control_urls: [this.url],
      server_public_key: rawPublicKey(this.keys.publicKey).toString('base64'),
      audience: this.url,
      config: {},
    };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  }

  stop(): void {
    for (const peer of this.peers) peer.socket.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

/** One link as the control plane sees it. */
export class FakePeer {
  readonly frames: DecodedAgentFrame[] = [];
  answersHeartbeats = true;
  /** Added to every time that this side sends. */
  clockSkewMs = 0;
  isClosed = false;
  closeCode = 0;
  hello!: Body<'hello'>;
  proof!: Body<'proof'>;
  readonly serverNonce = randomBytes(NONCE_BYTES);
  readonly #passedOver = new Set<string>(['heartbeat']);
  #read = 0;

  constructor(
    readonly socket: WebSocket,
    readonly owner: FakeControlPlane,
    readonly remoteAddress: string,
  ) {
    socket.on('message', (data) => this.#receive(owner.codec.decodeAgentFrame(data as Buffer)));
    socket.on('close', (code) => {
      this.isClosed = true;
      this.closeCode = code;
    });
    socket.on('error', () => undefined);
  }

  /** Ignores frames with this body from now on where another body is expected. */
  passOver(body: AgentBody): void {
    this.#passedOver.add(body);
  }

  /** The next frame with this body; heartbeats are passed over, any other body fails the test. */
  async next<B extends AgentBody>(body: B): Promise<Body<B>> {
    await until(
      `a frame "${body}" from the agent`,
      () => this.#skipPassedOver(body) < this.frames.length || this.isClosed,
    );
    const frame = this.frames[this.#read];
    if (frame === undefined) throw new Error(`the link was closed with ${this.closeCode} before a frame "${body}"`);
    this.#read += 1;
    const found = frame[body];
    if (!found) throw new Error(`expected a frame "${body}", got "${frame.body}"`);
    return found as Body<B>;
  }

  /** Frames with this body that came and were not asked for. */
  unread(body: AgentBody): DecodedAgentFrame[] {
    return this.frames.slice(this.#read).filter((frame) => frame.body === body);
  }

  send(frame: ServerFrame): void {
    this.socket.send(this.owner.codec.encodeServerFrame(frame));
  }

  /**
   * Receives the hello and refuses, signed with `key`, because this control plane speaks other versions; without
   * a signature if `key` is null.
   */
  async refuseVersions(versions: readonly number[], key: KeyObject | null = this.owner.keys.privateKey): Promise<void> {
    this.hello = await this.next('hello');
    const said = {
      audience: this.owner.audience || this.owner.url,
      nodeId: this.hello.nodeId,
      agentNonce: this.hello.agentNonce,
    };
    const signature = key === null ? new Uint8Array() : signBytes(key, versionRefusalBytes(said, versions));
    this.send({
      close: {
        reason: CloseReasonCode.CLOSE_UPGRADE_REQUIRED,
        message: `this control plane speaks ${versions.join(', ')}`,
        protocolVersions: [...versions],
        serverSignature: signature,
      },
    });
  }

  /** Receives the hello and proves to be `key`'s holder. */
  async challenge(key: KeyObject = this.owner.keys.privateKey, protocolVersion: number = 1): Promise<LinkTranscript> {
    this.hello = await this.next('hello');
    const transcript = {
      audience: this.owner.audience || this.owner.url,
      nodeId: this.hello.nodeId,
      publicKey: this.owner.nodePublicKey,
      agentNonce: this.hello.agentNonce,
      serverNonce: this.serverNonce,
      protocolVersion,
      bootId: this.hello.bootId,
      generation: this.hello.generation,
    };
    this.send({
      challenge: {
        serverNonce: this.serverNonce,
        protocolVersion,
        serverSignature: signBytes(key, serverProofBytes(transcript)),
        publicKey: this.owner.nodePublicKey,
      },
    });
    return transcript;
  }

  /** Completes the handshake; marks default to what the agent saw acknowledged, credits to 1000. */
  async welcome(script: WelcomeScript = {}): Promise<LinkTranscript> {
    const transcript = await this.challenge();
    await this.sendWelcome(script);
    return transcript;
  }

  /** Receives the proof and welcomes the node, whatever it proves. */
  async sendWelcome(script: WelcomeScript = {}): Promise<void> {
    this.proof = await this.next('proof');
    const acked = (lane: Lane) => this.proof.lanes.find((state) => state.lane === laneCode(lane))?.acked ?? 0;
    const lanes: readonly Lane[] = ['task', 'check'];
    const strange = script.strangeLane === undefined ? [] : [script.strangeLane as 1];
    this.send({
      welcome: {
        sessionId: 'ses_test',
        marks: [
          ...lanes.map((lane) => ({ lane: laneCode(lane), mark: script.marks?.[lane] ?? acked(lane) })),
          ...strange.map((lane) => ({ lane, mark: 5 })),
        ],
        credits: [
          ...lanes.map((lane) => ({ lane: laneCode(lane), rows: script.credits?.[lane] ?? 1000 })),
          ...strange.map((lane) => ({ lane, rows: 5 })),
        ],
        config: {
          heartbeatMs: script.heartbeatMs ?? 15_000,
          busyHeartbeatMs: script.busyHeartbeatMs ?? 1000,
          ownAddresses: [],
          denied: [...(script.denied ?? [])],
          controlUrls: [...(script.controlUrls ?? [])],
        },
        serverTimeMs: Date.now() + this.clockSkewMs,
        newEpoch: script.newEpoch ?? false,
      },
    });
  }

  /** Acknowledges everything in a batch. */
  ack(batch: Body<'results'>, rewindTo?: number): void {
    const mark = rewindTo ?? batch.first + batch.results.length - 1;
    this.send({ ack: { epoch: batch.epoch, lane: batch.lane, mark, rewind: rewindTo !== undefined } });
  }

  job(taskId: string, target = '192.0.2.1:80'): void {
    const specJson = Buffer.from(JSON.stringify({ target, params: {} }));
    this.send({ job: { taskId, probeType: 'tcp', specJson, deadlineMs: 10_000, caller: 'c1' } });
  }

  /** Sends all assignments of the node, in one frame. */
  assign(
    assignments: readonly { readonly monitorId: string; readonly generation: number; readonly spec: object }[],
  ): void {
    const set = assignments.map(({ spec, ...key }) => ({ ...key, specJson: Buffer.from(JSON.stringify(spec)) }));
    this.send({ assignments: { set, begins: true, ends: true } });
  }

  async closed(): Promise<number> {
    await until('the agent closes the link', () => this.isClosed);
    return this.closeCode;
  }

  #skipPassedOver(body: AgentBody): number {
    for (let frame = this.frames[this.#read]; frame !== undefined; frame = this.frames[this.#read]) {
      if (frame.body === body || !this.#passedOver.has(frame.body ?? '')) break;
      this.#read += 1;
    }
    return this.#read;
  }

  #receive(frame: DecodedAgentFrame): void {
    this.frames.push(frame);
    if (!frame.heartbeat || frame.heartbeat.isReply || !this.answersHeartbeats) return;
    const now = Date.now() + this.clockSkewMs;
    const { sequence, transmitMs } = frame.heartbeat;
    this.send({ heartbeat: { sequence, isReply: true, originMs: transmitMs, receiveMs: now, transmitMs: now } });
  }
}
