import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import {
  type AgentFrame,
  type DecodedServerFrame,
  decodeServerFrame,
  encodeAgentFrame,
  laneCode,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { LINK_PATH, LINK_SUBPROTOCOL, NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { agentProofBytes } from '@vantage/shared/protocol/transcript.js';
import { endOfCloseFrame, endOfSocket, type LinkEnd, type LinkEndKind } from 'vantage-agent/link/link-end.js';
import { planReconnect } from 'vantage-agent/link/reconnect.js';
import { WebSocket } from 'ws';
import type { FleetNode } from './fleet.js';
import { FleetDelivery } from './fleet-delivery.js';

const BOOT_ID = 'fleet';

interface Attempt {
  readonly agentNonce: Buffer;
  readonly generation: number;
}

/** An agent without probes: it links, beats, delivers what it is given, and comes back by the agent's own rule. */
export class FleetAgent {
  readonly delivery = new FleetDelivery((bytes) => this.#socket?.send(bytes));
  readonly #node: FleetNode;
  readonly #key: KeyObject;
  readonly #url: string;
  readonly #onOpen: () => void;
  #socket: WebSocket | null = null;
  #generation = Date.now();
  #failures = 0;
  #openedMs: number | null = null;
  #openAt = performance.now();
  #beating: NodeJS.Timeout | undefined;
  #hasLeft = false;

  constructor(node: FleetNode, url: string, onOpen: () => void) {
    this.#node = node;
    this.#key = createPrivateKey({ key: Buffer.from(node.privateKey, 'base64'), format: 'der', type: 'pkcs8' });
    this.#url = url;
    this.#onOpen = onOpen;
  }

  get isOpen(): boolean {
    return this.#openedMs !== null;
  }

  /** The bare socket, for frames that are made elsewhere. */
  get socket(): WebSocket | null {
    return this.#socket;
  }

  /** Epoch of the spool that the agent delivers from. */
  get epoch(): Uint8Array {
    return this.delivery.epoch;
  }

  connect(): void {
    this.#generation += 1;
    const url = new URL(LINK_PATH, this.#url.replace(/^http/, 'ws'));
    const socket = new WebSocket(url, LINK_SUBPROTOCOL, { perMessageDeflate: false });
    const attempt: Attempt = { agentNonce: randomBytes(NONCE_BYTES), generation: this.#generation };
    let advice: { kind: LinkEndKind; retryAfterMs: number } | null = null;
    this.#socket = socket;
    socket.on('open', () => this.#hello(attempt));
    socket.on('message', (data) => {
      const frame = decodeServerFrame(data as Buffer);
      if (frame.close) advice = { kind: endOfCloseFrame(frame.close.reason), retryAfterMs: frame.close.retryAfterMs };
      else this.#take(frame, attempt);
    });
    socket.on('unexpected-response', (_request, response) => {
      advice = { kind: 'unreachable', retryAfterMs: 1_000 * Number(response.headers['retry-after'] ?? 0) };
      response.destroy();
      socket.terminate();
    });
    socket.on('error', () => socket.terminate());
    socket.on('close', (code) => this.#ended(advice ?? { kind: endOfSocket(code, this.isOpen), retryAfterMs: 0 }));
  }

  /** Cuts its link, with all that was not sent yet, and does not come back. */
  leave(): void {
    this.#hasLeft = true;
    this.#socket?.terminate();
  }

  #hello(attempt: Attempt): void {
    const { nodeId } = this.#node;
    const version = { protocolVersions: [1], agentVersion: '0.1.0', capabilities: [] };
    this.#send({ hello: { nodeId, bootId: BOOT_ID, ...attempt, ...version } });
  }

  #take(frame: DecodedServerFrame, attempt: Attempt): void {
    if (frame.challenge) this.#prove(frame.challenge, attempt);
    else if (frame.welcome) this.#opened(frame.welcome);
    else if (frame.ack) this.delivery.acknowledged(frame.ack);
    else if (frame.credits) this.delivery.grant(frame.credits.credits);
  }

  #prove({ serverNonce, protocolVersion }: NonNullable<DecodedServerFrame['challenge']>, attempt: Attempt): void {
    const proof = agentProofBytes({
      audience: this.#url,
      nodeId: this.#node.nodeId,
      publicKey: rawPublicKey(this.#key),
      serverNonce,
      protocolVersion,
      bootId: BOOT_ID,
      ...attempt,
    });
    const signature = signBytes(this.#key, proof);
    const lanes = [{ lane: laneCode('task'), last: 0, acked: 0 }];
    this.#send({ proof: { signature, epoch: this.epoch, lanes, runningTaskIds: [] } });
  }

  #opened({ config, credits }: NonNullable<DecodedServerFrame['welcome']>): void {
    this.#openedMs = performance.now();
    const heartbeatMs = config?.heartbeatMs ?? 15_000;
    const beat = () => {
      this.#send({ heartbeat: { sequence: 1, transmitMs: Date.now() } });
      this.#beating = setTimeout(beat, heartbeatMs);
    };
    this.#beating = setTimeout(beat, Math.random() * heartbeatMs);
    this.delivery.grant(credits);
    this.#onOpen();
  }

  #ended({ kind, retryAfterMs }: { readonly kind: LinkEndKind; readonly retryAfterMs: number }): void {
    const openMs = this.#openedMs === null ? 0 : performance.now() - this.#openedMs;
    clearTimeout(this.#beating);
    this.#openedMs = null;
    if (this.#hasLeft) return;
    const end: LinkEnd = { kind, message: '', retryAfterMs, controlUrls: [], openMs };
    if (openMs > 0) this.#openAt = performance.now();
    const awayMs = performance.now() - this.#openAt;
    const next = planReconnect(end, { failures: this.#failures, awayMs, hasOther: false, random: Math.random() });
    if (next.kind === 'give-up') throw new Error(`${this.#node.nodeId} was refused: ${kind}`);
    this.#failures = next.failures;
    setTimeout(() => this.connect(), next.delayMs);
  }

  #send(frame: AgentFrame): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(encodeAgentFrame(frame));
  }
}

/** Connects an agent in this process; resolves when its link is open. */
export function linkAgent(node: FleetNode, url: string): Promise<FleetAgent> {
  return new Promise((resolve) => {
    const agent = new FleetAgent(node, url, () => resolve(agent));
    agent.connect();
  });
}
