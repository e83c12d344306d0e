import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { idPrefixes, newId } from '@vantage/shared/ids.js';
import {
  type DecodedAgentFrame,
  decodeAgentFrame,
  encodeServerFrame,
  type ServerFrame,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { serverProofBytes } from '@vantage/shared/protocol/transcript.js';
import { type WebSocket, WebSocketServer } from 'ws';

type Body<B extends 'hello' | 'proof' | 'results'> = NonNullable<DecodedAgentFrame[B]>;

const CREDIT_ROWS = 2_000;

/** A control plane of one node that stores nothing and acknowledges all, so that only the agent's memory counts. */
export class MemoryPeer {
  readonly #keys = generateKeyPairSync('ed25519');
  readonly #nodeId = newId(idPrefixes.node);
  readonly #server: Server;
  #nodeKey = Buffer.alloc(0);
  #socket: WebSocket | null = null;
  /** Results that came, those sent again included. */
  results = 0;
  #onWelcomed: () => void = () => undefined;

  constructor() {
    this.#server = createServer((request, response) => void this.#enroll(request, response));
    const sockets = new WebSocketServer({ server: this.#server });
    sockets.on('connection', (socket) => {
      socket.on('message', (data) => this.#take(socket, decodeAgentFrame(data as Buffer)));
      socket.on('error', () => socket.terminate());
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Resolves with the next welcome. */
  welcomed(): Promise<void> {
    return new Promise((resolve) => {
      this.#onWelcomed = resolve;
    });
  }

  /** Requests a TCP probe of `target` from the agent. */
  job(taskId: string, target: string): void {
    const specJson = Buffer.from(JSON.stringify({ target, params: {} }));
    this.#send({ job: { taskId, probeType: 'tcp', specJson, deadlineMs: 10_000, caller: 'bench' } });
  }

  stop(): void {
    this.#socket?.terminate();
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #enroll(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = (await json(request)) as { readonly public_key: string };
    this.#nodeKey = Buffer.from(body.public_key, 'base64');
    const data = {
      node_id: this.#nodeId,
      control_urls: [this.url],
      server_public_key: Buffer.from(rawPublicKey(this.#keys.publicKey)).toString('base64'),
      audience: this.url,
      config: {},
    };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  }

  #take(socket: WebSocket, frame: DecodedAgentFrame): void {
    this.#socket = socket;
    if (frame.hello) this.#challenge(frame.hello);
    else if (frame.proof) this.#welcome(frame.proof);
    else if (frame.results) this.#acknowledge(frame.results);
    else if (frame.heartbeat && !frame.heartbeat.isReply) {
      const { sequence, transmitMs } = frame.heartbeat;
      const now = Date.now();
      this.#send({ heartbeat: { sequence, isReply: true, originMs: transmitMs, receiveMs: now, transmitMs: now } });
    }
  }

  #challenge(hello: Body<'hello'>): void {
    const serverNonce = randomBytes(NONCE_BYTES);
    const transcript = {
      audience: this.url,
      nodeId: hello.nodeId,
      publicKey: this.#nodeKey,
      agentNonce: hello.agentNonce,
      serverNonce,
      protocolVersion: 1,
      bootId: hello.bootId,
      generation: hello.generation,
    };
    const serverSignature = signBytes(this.#keys.privateKey, serverProofBytes(transcript));
    this.#send({ challenge: { serverNonce, protocolVersion: 1, serverSignature, publicKey: this.#nodeKey } });
  }

  #welcome(proof: Body<'proof'>): void {
    const lanes = proof.lanes.map(({ lane, acked }) => ({ lane, mark: acked, rows: CREDIT_ROWS }));
    this.#send({
      welcome: {
        sessionId: newId(idPrefixes.session),
        marks: lanes,
        credits: lanes,
        config: { heartbeatMs: 15_000, busyHeartbeatMs: 1_000 },
        serverTimeMs: Date.now(),
      },
    });
    this.#onWelcomed();
  }

  #acknowledge({ epoch, lane, first, results }: Body<'results'>): void {
    this.results += results.length;
    this.#send({ ack: { epoch, lane, mark: first + results.length - 1 } });
  }

  #send(frame: ServerFrame): void {
    this.#socket?.send(encodeServerFrame(frame));
  }
}
