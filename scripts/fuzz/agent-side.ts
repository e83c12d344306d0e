import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@vantage/shared/clock.js';
import { idPrefixes } from '@vantage/shared/ids.js';
import { readGoldenFrames } from '@vantage/shared/protocol/_support/golden-frames.js';
import {
  type DecodedAgentFrame,
  decodeAgentFrame,
  decodeServerFrame,
  encodeServerFrame,
  laneCode,
  lanes,
} from '@vantage/shared/protocol/codec.js';
import { rawPublicKey, signBytes } from '@vantage/shared/protocol/ed25519.js';
import { NONCE_BYTES } from '@vantage/shared/protocol/limits.js';
import { serverProofBytes } from '@vantage/shared/protocol/transcript.js';
import { ClockSync } from 'vantage-agent/link/clock-sync.js';
import { dialLink } from 'vantage-agent/link/dial.js';
import { Handshake } from 'vantage-agent/link/handshake.js';
import { Jobs } from 'vantage-agent/link/jobs.js';
import { Session } from 'vantage-agent/link/session.js';
import { Schedule } from 'vantage-agent/schedule/schedule.js';
import { emptySchedule } from 'vantage-agent/schedule/stored-schedule.js';
import { Spool } from 'vantage-agent/spool/spool.js';
import { Upgrades } from 'vantage-agent/upgrade/upgrades.js';
import { createLogger } from 'vantage-control/runtime/log.js';
import { type WebSocket, WebSocketServer } from 'ws';
import type { FuzzInput } from './mutations.js';
import { FuzzFailure, inTime, Peer } from './peer.js';
import type { FuzzSide } from './side.js';

/** The control plane is this process: its address is all there is to find. */
const straight = {
  bindAddress: null,
  proxyUrl: null,
  addresses: { find: async (address: string) => [address], worked: () => {}, failed: () => {} },
  clock: systemClock,
};

const ATTACKERS = 2;

type AgentPeer = Peer<DecodedAgentFrame>;

/** The agent's real session, schedule and spool behind a real socket; nothing is measured. */
export class AgentSide implements FuzzSide {
  readonly name = 'agent';
  readonly stages = ['challenge', 'welcome', 'open'];
  readonly attackers = ATTACKERS;
  readonly seeds = [
    ...readGoldenFrames().flatMap(({ side, bytes }) => (side === 'server' ? [bytes] : [])),
    ...aboutMonitors(),
  ];
  readonly #server = createServer();
  readonly #sockets = new WebSocketServer({ server: this.#server });
  readonly #nodes: AttackedNode[] = [];
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#sockets.on('connection', (socket, request) => {
      const index = Number(/^\/(\d+)\//.exec(request.url ?? '')?.[1]);
      this.#nodes[index]?.take(socket);
    });
  }

  static async start(): Promise<AgentSide> {
    const side = new AgentSide(await mkdtemp(join(tmpdir(), 'vantage-fuzz-')));
    side.#server.listen(0, '127.0.0.1');
    await once(side.#server, 'listening');
    const url = `http://127.0.0.1:${(side.#server.address() as AddressInfo).port}`;
    for (let index = 0; index <= ATTACKERS; index += 1) {
      const folder = join(side.#folder, String(index));
      const spool = await Spool.open({ folder, log: createLogger('silent'), clock: systemClock });
      side.#nodes.push(new AttackedNode(`${url}/${index}`, spool));
    }
    await side.#bystander.linked();
    return side;
  }

  async attack(attacker: number, stage: string, input: FuzzInput): Promise<void> {
    const node = this.#nodes[attacker];
    if (node === undefined) throw new RangeError(`no attacker ${attacker}`);
    await node.attack(stage, input);
  }

  async checkBystander(): Promise<void> {
    if (this.#bystander.links > 1) throw new FuzzFailure('the bystander was disconnected');
    if (!(await this.#bystander.answers(await this.#bystander.linked())))
      throw new FuzzFailure('the link of the bystander was closed');
  }

  decode(bytes: Buffer): void {
    decodeServerFrame(bytes);
  }

  async stop(): Promise<void> {
    for (const node of this.#nodes) await node.stop();
    this.#sockets.close();
    this.#server.close();
    this.#server.closeAllConnections();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #bystander(): AttackedNode {
    return this.#nodes.at(-1) as AttackedNode;
  }
}

/** An agent, and the control plane that it talks to, which says what it likes. */
class AttackedNode {
  /** Links that opened. */
  links = 0;
  readonly #serverKeys = generateKeyPairSync('ed25519');
  readonly #nodeKeys = generateKeyPairSync('ed25519');
  readonly #publicKey = rawPublicKey(this.#nodeKeys.publicKey);
  readonly #key = { privateKey: this.#nodeKeys.privateKey, publicKey: this.#publicKey };
  readonly #keys = {
    current: this.#key,
    candidates: [this.#key],
    makeNext: async () => this.#key,
    settle: async () => {},
  };
  readonly #url: string;
  readonly #spool: Spool;
  readonly #jobs: Jobs;
  readonly #schedule: Schedule;
  readonly #clockSync = new ClockSync(systemClock);
  // one for all sessions: each has a timer that never ends, and thousands of them slowed the fuzzer down (2026-11)
  readonly #log = createLogger('silent');
  #generation = 0;
  #beats = 2 ** 40;
  #connected: ((socket: WebSocket) => void) | null = null;
  #session: Session | null = null;
  #peer: AgentPeer | null = null;

  constructor(url: string, spool: Spool) {
    this.#url = url;
    this.#spool = spool;
    const measuring = {
      measure: async ({ id }: { id: string }) => ({ id, resultJson: '{}', loopLagMs: 0 }),
      cancel: () => undefined,
    };
    const parts = { measuring, spool, clockSync: this.#clockSync, clock: systemClock, log: this.#log };
    this.#jobs = new Jobs(parts);
    this.#jobs.onResult = () => this.#session?.wake('task');
    this.#schedule = this.#openSchedule();
    this.#schedule.start();
  }

  /** A socket of this node's agent. */
  take(socket: WebSocket): void {
    this.#connected?.(socket);
  }

  async attack(stage: string, input: FuzzInput): Promise<void> {
    if (stage === 'open') {
      const peer = await this.linked();
      peer.send(input);
      if (!(await this.answers(peer))) await this.#hungUp();
      return;
    }
    await this.#leave();
    const peer = await this.#dialled();
    if (stage === 'welcome') await this.#challenge(peer);
    peer.send(input);
    await peer.next();
    await this.#leave(peer);
  }

  async linked(): Promise<AgentPeer> {
    if (this.#peer !== null && !this.#peer.isClosed) return this.#peer;
    // an agent may reply to a welcome with a request for a new epoch, once
    for (let tries = 0; tries < 3; tries += 1) {
      const peer = await this.#dialled();
      await this.#challenge(peer);
      peer.socket.send(encodeServerFrame({ welcome: this.#welcome() }));
      if (await peer.next((frame) => frame.heartbeat !== null)) {
        this.links += 1;
        this.#peer = peer;
        return peer;
      }
      await this.#hungUp();
    }
    throw new FuzzFailure('an honest welcome opens no link');
  }

  /** True if a heartbeat is answered; false if the agent hung up. */
  async answers(peer: AgentPeer): Promise<boolean> {
    this.#beats += 1;
    const sequence = this.#beats;
    peer.socket.send(encodeServerFrame({ heartbeat: { sequence } }));
    return (
      (await peer.next(({ heartbeat }) => heartbeat?.isReply === true && heartbeat.sequence === sequence)) !== null
    );
  }

  async stop(): Promise<void> {
    await this.#leave();
    await this.#schedule.close(0);
    await this.#spool.close();
  }

  #openSchedule(): Schedule {
    const judgment = { outcome: 'ok' as const, responseMs: 1, statusCode: null, error: null };
    const nothing = () => {};
    return new Schedule({
      nodeId: 'n_fuzz',
      measuring: {
        check: async ({ id }) => ({
          id,
          judgment,
          detailsJson: null,
          startedAt: Date.now(),
          loopLagMs: 0,
          isDisturbed: false,
        }),
      },
      spool: this.#spool,
      clockSync: this.#clockSync,
      clock: systemClock,
      uplink: { isLost: async () => false },
      file: {
        begin: nothing,
        assignmentChanged: nothing,
        progressChanged: nothing,
        keepLease: nothing,
        close: async () => {},
      },
      stored: { ...emptySchedule, reportedMs: new Map() },
      log: this.#log,
      onDurable: () => this.#session?.wake('check'),
    });
  }

  async #dialled(): Promise<AgentPeer> {
    const socket = new Promise<WebSocket>((resolve) => {
      this.#connected = resolve;
    });
    this.#generation += 1;
    const about = { bootId: 'fuzz', agentVersion: '0', capabilities: [] };
    this.#session = new Session({
      controlUrl: this.#url,
      dial: (url) => dialLink(url, straight),
      identity: this.#identity(),
      handshake: new Handshake(this.#identity(), about, this.#generation),
      spool: this.#spool,
      jobs: this.#jobs,
      schedule: this.#schedule,
      upgrades: new Upgrades({
        command: null,
        stateDir: '',
        version: '0',
        clock: systemClock,
        log: this.#log,
      }),
      clockSync: this.#clockSync,
      clock: systemClock,
      random: () => 0.5,
      log: this.#log,
      onLists: () => {},
      onCanaries: () => {},
      states: () => this.#schedule.newest(),
      selfTest: () => null,
      onControlUrls: () => {},
      onOpen: () => {},
    });
    const peer = new Peer(await inTime('the agent did not dial', socket), decodeAgentFrame, acknowledge);
    if ((await peer.next((frame) => frame.hello !== null)) === null) throw new FuzzFailure('no hello');
    return peer;
  }

  async #challenge(peer: AgentPeer): Promise<void> {
    const hello = this.#lastHello(peer);
    const serverNonce = randomBytes(NONCE_BYTES);
    const identity = this.#identity();
    const signed = serverProofBytes({
      audience: identity.audience,
      nodeId: identity.nodeId,
      publicKey: this.#publicKey,
      agentNonce: hello.agentNonce,
      serverNonce,
      protocolVersion: 1,
      bootId: 'fuzz',
      generation: this.#generation,
    });
    const serverSignature = signBytes(this.#serverKeys.privateKey, signed);
    peer.socket.send(encodeServerFrame({ challenge: { serverNonce, protocolVersion: 1, serverSignature } }));
    if (!(await peer.next())?.proof) throw new FuzzFailure('no proof for an honest challenge');
  }

  #lastHello(peer: AgentPeer): NonNullable<DecodedAgentFrame['hello']> {
    const hello = peer.last?.hello;
    if (!hello) throw new FuzzFailure('no hello');
    return hello;
  }

  #welcome() {
    const state = this.#spool.state();
    return {
      sessionId: 'ses_fuzz',
      marks: lanes.map((lane) => ({ lane: laneCode(lane), mark: state[lane].acked })),
      credits: lanes.map((lane) => ({ lane: laneCode(lane), rows: 1000 })),
      config: { heartbeatMs: 600_000, busyHeartbeatMs: 600_000 },
      serverTimeMs: Date.now(),
      newEpoch: false,
    };
  }

  #identity() {
    return {
      nodeId: 'n_fuzz',
      keys: this.#keys,
      serverPublicKey: this.#serverKeys.publicKey,
      audience: 'http://fuzz.test',
      controlUrls: [this.#url],
      nextGeneration: async () => this.#generation,
      keepControlUrls: async () => {},
    };
  }

  async #leave(peer = this.#peer): Promise<void> {
    peer?.socket.terminate();
    await this.#hungUp();
  }

  /** The session is over, for whatever reason. */
  async #hungUp(): Promise<void> {
    if (this.#session !== null) await inTime('the session of the agent did not end', this.#session.ended());
    this.#session = null;
    this.#peer = null;
  }
}

/**
 * Frames that an agent accepts, unlike the golden frames, whose ids are too short: from a full set of assignments to
 * a requested check.
 */
function aboutMonitors(): Buffer[] {
  const ids = [1, 2, 3].map((number) => `${idPrefixes.monitor}${String(number).repeat(22)}`);
  const spec = { type: 'tcp', target: 'a.test:80', config: {}, interval_s: 1, consecutive_fail: 1, consecutive_ok: 1 };
  const specJson = Buffer.from(JSON.stringify(spec));
  const set = ids.map((monitorId) => ({ monitorId, generation: 1, specJson }));
  return [
    { assignments: { set, begins: true, ends: true } },
    { assignments: { set: set.slice(1), dropped: ids.slice(0, 1) } },
    ...ids.map((monitorId) => ({ checkNow: { monitorId, generation: 1, request: 'ask_1' } })),
  ].map((frame) => Buffer.from(encodeServerFrame(frame)));
}

/** Acknowledges what is delivered, so that the spool stays small. */
function acknowledge({ results }: DecodedAgentFrame, peer: AgentPeer): void {
  if (results === null) return;
  const mark = results.first + results.results.length - 1;
  peer.socket.send(encodeServerFrame({ ack: { epoch: results.epoch, lane: results.lane, mark } }));
}
