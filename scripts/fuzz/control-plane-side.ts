import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@vantage/shared/clock.js';
import { readGoldenFrames } from '@vantage/shared/protocol/_support/golden-frames.js';
import {
  type AgentFrame,
  type DecodedServerFrame,
  decodeAgentFrame,
  decodeServerFrame,
  encodeAgentFrame,
  laneCode,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { EPOCH_BYTES, LINK_PATH, LINK_SUBPROTOCOL, NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { agentProofBytes } from '@vantage/shared/protocol/transcript.js';
import { Ingest } from 'vantage-control/ingest/index.js';
import { LinkServer, LinkStore, LinkTable } from 'vantage-control/links/index.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import { WebSocket } from 'ws';
import { MemoryStores } from './memory-stores.js';
import type { FuzzInput } from './mutations.js';
import { FuzzFailure, Peer } from './peer.js';
import type { FuzzSide } from './side.js';

const ATTACKERS = 4;
const AUDIENCE = 'http://fuzz.test';

type ServerPeer = Peer<DecodedServerFrame>;

/** The control plane's real link server on a real socket; only its stores are in memory. */
export class ControlPlaneSide implements FuzzSide {
  readonly name = 'control-plane';
  readonly stages = ['hello', 'proof', 'open'];
  readonly attackers = ATTACKERS;
  readonly seeds = readGoldenFrames().flatMap(({ side, bytes }) => (side === 'agent' ? [bytes] : []));
  readonly #nodes: readonly AttackingNode[];
  readonly #bystander: AttackingNode;
  readonly #stop: () => Promise<void>;

  private constructor(url: string, stores: MemoryStores, stop: () => Promise<void>) {
    const node = (_: unknown, index: number) => new AttackingNode(url, `n_${index}`, stores);
    this.#nodes = Array.from({ length: ATTACKERS }, node);
    this.#bystander = new AttackingNode(url, 'n_bystander', stores);
    this.#stop = stop;
  }

  static async start(): Promise<ControlPlaneSide> {
    const stores = new MemoryStores();
    const server = makeServer(stores);
    const http = createServer((_, response) => response.end());
    http.on('upgrade', (request, socket, head) => server.handleUpgrade(request, socket, head) || socket.destroy());
    http.listen(0, '127.0.0.1');
    await once(http, 'listening');
    const side = new ControlPlaneSide(`ws://127.0.0.1:${(http.address() as AddressInfo).port}`, stores, async () => {
      await server.stop();
      http.close();
      http.closeAllConnections();
    });
    await side.#bystander.linked();
    return side;
  }

  async attack(attacker: number, stage: string, input: FuzzInput): Promise<void> {
    const node = this.#nodes[attacker];
    if (node === undefined) throw new RangeError(`no attacker ${attacker}`);
    if (stage === 'open') return node.attackOpen(input);
    const peer = await node.dial();
    if (stage === 'proof') {
      peer.send({ bytes: Buffer.from(node.hello(randomBytes(NONCE_BYTES))), isText: false });
      if (!(await peer.next())?.challenge) throw new FuzzFailure('no challenge for an honest hello');
    }
    peer.send(input);
    await peer.next();
    peer.socket.terminate();
  }

  async checkBystander(): Promise<void> {
    if (this.#bystander.links > 1) throw new FuzzFailure('the bystander was disconnected');
    await this.#bystander.beat();
  }

  decode(bytes: Buffer): void {
    decodeAgentFrame(bytes);
  }

  async stop(): Promise<void> {
    for (const node of [...this.#nodes, this.#bystander]) node.leave();
    await this.#stop();
  }
}

function makeServer(stores: MemoryStores): LinkServer {
  const { privateKey } = generateKeyPairSync('ed25519');
  const log = createLogger('silent');
  const metrics = { observe: () => {}, countRejects: () => {}, countResult: () => {} };
  return new LinkServer({
    store: new LinkStore({ records: stores.records, replicaId: 'rep_fuzz', announce: async () => {} }),
    identity: { privateKey, publicKey: rawPublicKey(privateKey) },
    audience: AUDIENCE,
    table: new LinkTable(),
    directory: { find: () => null, onChange: () => {} },
    ingest: new Ingest({ store: stores.ingest, clock: systemClock, log, metrics }),
    work: { onOpened: () => {}, onCaughtUp: () => {}, onClosed: () => {} },
    onSetBack: () => {},
    assigned: { keys: async () => ({ keys: [], sum: 0 }), sum: async () => 0, find: async () => null },
    config: () => ({
      heartbeatMs: 600_000,
      busyHeartbeatMs: 600_000,
      ownAddresses: [],
      denied: [],
      canaries: [],
      controlUrls: [],
      leaseSeconds: 86_400,
    }),
    states: { kinds: [], store: async () => ({ isLive: true, newer: [] }), countPassedOver: () => {} },
    checkStorage: async () => {},
    addressOf: () => '127.0.0.1',
    acceptRate: 1_000_000,
    maxUnproven: 2_000,
    maxUnprovenPerAddress: 20,
    clock: systemClock,
    log,
  });
}

/** A node whose agent says what it likes; its link lasts as long as the control plane bears it. */
class AttackingNode {
  /** Links it has had. */
  links = 0;
  readonly #keys = generateKeyPairSync('ed25519');
  readonly #publicKey = rawPublicKey(this.#keys.publicKey);
  readonly #url: string;
  readonly #id: string;
  #generation = 0;
  #beats = 2 ** 40;
  #peer: ServerPeer | null = null;

  constructor(url: string, id: string, stores: MemoryStores) {
    this.#url = url;
    this.#id = id;
    stores.add(id, this.#publicKey);
  }

  async dial(): Promise<ServerPeer> {
    const socket = new WebSocket(this.#url + LINK_PATH, LINK_SUBPROTOCOL, { perMessageDeflate: false });
    const peer = new Peer(socket, decodeServerFrame);
    await peer.opened();
    return peer;
  }

  hello(agentNonce: Buffer): Uint8Array {
    this.#generation += 1;
    const hello = { nodeId: this.#id, agentNonce, protocolVersions: [1], bootId: 'fuzz', generation: this.#generation };
    return encodeAgentFrame({ hello: { ...hello, agentVersion: '0', capabilities: [] } });
  }

  async linked(): Promise<ServerPeer> {
    if (this.#peer !== null && !this.#peer.isClosed) return this.#peer;
    const peer = await this.dial();
    const agentNonce = randomBytes(NONCE_BYTES);
    peer.socket.send(this.hello(agentNonce));
    const challenge = (await peer.next())?.challenge;
    if (!challenge) throw new FuzzFailure('no challenge for an honest hello');
    peer.socket.send(encodeAgentFrame(this.#proof(agentNonce, challenge.serverNonce)));
    if (!(await peer.next())?.welcome) throw new FuzzFailure('no welcome for an honest proof');
    this.links += 1;
    this.#peer = peer;
    return peer;
  }

  async attackOpen(input: FuzzInput): Promise<void> {
    const peer = await this.linked();
    peer.send(input);
    await this.#answered(peer);
  }

  /** A heartbeat is answered. */
  async beat(): Promise<void> {
    if (!(await this.#answered(await this.linked()))) throw new FuzzFailure('the link of the bystander was closed');
  }

  leave(): void {
    this.#peer?.socket.terminate();
  }

  async #answered(peer: ServerPeer): Promise<boolean> {
    this.#beats += 1;
    const sequence = this.#beats;
    peer.socket.send(encodeAgentFrame({ heartbeat: { sequence } }));
    return (await peer.next((frame) => frame.heartbeat?.sequence === sequence)) !== null;
  }

  #proof(agentNonce: Buffer, serverNonce: Uint8Array): AgentFrame {
    const signed = agentProofBytes({
      audience: AUDIENCE,
      nodeId: this.#id,
      publicKey: this.#publicKey,
      agentNonce,
      serverNonce,
      protocolVersion: 1,
      bootId: 'fuzz',
      generation: this.#generation,
    });
    // the epoch of the golden frames: some of their results are stored
    const epoch = Buffer.alloc(EPOCH_BYTES, 3);
    const lanes = [{ lane: laneCode('task'), last: 2 ** 40, acked: 0 }];
    return { proof: { signature: signBytes(this.#keys.privateKey, signed), epoch, lanes, runningTaskIds: [] } };
  }
}
