import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProbeResults, ProbeSpecs, ProbeType } from '@vantage/shared/probe-types/index.js';
import type { SelfTestCheck } from '@vantage/shared/self-test.js';
import { makeToken, tokenPrefixes } from '@vantage/shared/tokens.js';
import { readStatus } from 'vantage-agent/status-file.js';
import type { FromPeer, ReceivedHeartbeat, ReceivedRow, ToPeer } from './agent-peer-messages.js';
import type { Lab } from './lab.js';
import { type Host, linkAddresses } from './topology.js';

const CLI = fileURLToPath(import.meta.resolve('vantage-agent/cli.js'));
const PEER = fileURLToPath(new URL('./programs/agent-peer.js', import.meta.url));

/** Self-test of an agent, by name of the check. */
export type SelfTest = Readonly<Partial<Record<string, SelfTestCheck>>>;

/** A whole agent on the lab's `agent`: `vantage-agent run`, linked to a control plane under the control of the test. */
export interface LabAgent {
  /** The main process: link, spool, schedule. */
  readonly pid: number;
  /** Runs one probe, in parallel with others: over the link, in the measuring child, by the spool and back. */
  probe<T extends ProbeType>(
    type: T,
    target: string,
    params?: Partial<ProbeSpecs[T]['params']>,
  ): Promise<ProbeResults[T]>;
  /** Result of the self-test at the start. */
  readonly firstSelfTest: Promise<SelfTest>;
  /**
   * Sets other canaries than before, after the first self-test, and returns the result: the agent tries them at once.
   */
  selfTest(canaries: readonly string[]): Promise<SelfTest>;
  /** Record of its control plane so far. */
  readonly seen: PeerRecord;
  /** Requests this many results that cost next to nothing; they are in `seen` when they come. */
  ask(results: number): void;
  /** Lets the agent have this many rows in flight. */
  grant(rows: number): void;
  /** Ends its link without a word. */
  hangUp(): void;
  /** State of the link as `vantage-agent status` shows it: `open`, `waiting`, ... */
  linkState(): Promise<string>;
  stop(): Promise<void>;
}

/** Events that the control plane of a lab's agent recorded, in order. */
export interface PeerRecord {
  /** Tries to link that came as far as a hello, and links. */
  readonly hellos: number;
  readonly links: number;
  /** Requested tasks and their results. */
  readonly asked: readonly string[];
  readonly rows: readonly ReceivedRow[];
  /** Rows that came more than once. */
  readonly resent: number;
  readonly heartbeats: readonly ReceivedHeartbeat[];
}

export interface LabAgentOptions {
  readonly canaries?: readonly string[];
  /** Host of its control plane: the agent's own, or the other end of the network. */
  readonly controlPlaneOn?: Extract<Host, 'agent' | 'far'>;
  /** Interval of heartbeats; a link is lost after three of them without a word. Default: a second. */
  readonly heartbeatMs?: number;
}

/**
 * Enrolls an agent and starts it; it ends with the lab at the latest.
 * @throws Error when it ends before it has a link
 */
export async function startLabAgent(lab: Lab, options: LabAgentOptions = {}): Promise<LabAgent> {
  const { canaries = [], controlPlaneOn: host = 'agent', heartbeatMs = 1_000 } = options;
  const stateDir = mkdtempSync(join(tmpdir(), 'vantage-lab-agent-'));
  const peer = new Peer(
    lab.spawn(host, [process.execPath, PEER, addressOf(host), String(heartbeatMs)], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  );
  const { url } = await peer.next('listening');
  const { token } = makeToken(tokenPrefixes.enrollment);
  const common = ['--state-dir', stateDir];
  await lab.exec('agent', process.execPath, CLI, 'enroll', '--insecure', '--url', url, '--token', token, ...common);
  peer.send({ kind: 'canaries', canaries });
  const firstSelfTest = peer.next('self-test').then(byName);
  // not every caller awaits it
  firstSelfTest.catch(() => {});
  const linked = peer.next('linked');
  const agent = lab.spawn('agent', [process.execPath, CLI, 'run', ...common], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, VANTAGE_LOG_LEVEL: 'warn' },
  });
  const ended = once(agent, 'exit');
  await Promise.race([linked, ended.then(() => Promise.reject(new Error('the agent ended before it had a link')))]);
  const stop = async () => {
    agent.kill('SIGTERM');
    await ended;
    await peer.end();
    rmSync(stateDir, { recursive: true, force: true });
  };
  const linkState = async () => (await readStatus(stateDir))?.link.state ?? 'idle';
  return { pid: agent.pid ?? 0, firstSelfTest, seen: peer.seen, ...commandsOf(peer), linkState, stop };
}

function addressOf(host: 'agent' | 'far'): string {
  return host === 'agent' ? '127.0.0.1' : linkAddresses(4, 'right').v4;
}

function byName({ checks }: Message<'self-test'>): SelfTest {
  return Object.fromEntries(checks.map((check) => [check.name, check]));
}

/** Specification that every agent refuses, so that its result costs the measuring process next to nothing. */
const refusedSpec = JSON.stringify({ target: '10.0.0.1:80', params: {} });

type Commands = Omit<LabAgent, 'pid' | 'firstSelfTest' | 'seen' | 'linkState' | 'stop'>;

function commandsOf(peer: Peer): Commands {
  let tasks = 0;
  return {
    ask: (results) => {
      for (let index = 0; index < results; index += 1) peer.ask(refusedSpec);
    },
    grant: (rows) => peer.send({ kind: 'credits', rows }),
    hangUp: () => peer.send({ kind: 'hang-up' }),
    probe: async (type, target, params = {}) => {
      tasks += 1;
      const taskId = `lab${tasks}`;
      const specJson = JSON.stringify({ target, params });
      const answer = peer.next('result', (result) => result.taskId === taskId);
      peer.send({ kind: 'job', taskId, probeType: type, specJson });
      return JSON.parse((await answer).resultJson) as never;
    },
    selfTest: (canaries) => {
      const answer = peer.next('self-test').then(byName);
      peer.send({ kind: 'canaries', canaries });
      return answer;
    },
  };
}

type Message<K extends FromPeer['kind']> = Extract<FromPeer, { kind: K }>;

interface Waiter {
  readonly isMeant: (message: FromPeer) => boolean;
  readonly resolve: (message: never) => void;
  readonly reject: (error: Error) => void;
}

/** The control plane's process, and who waits for its word. */
class Peer {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  readonly #waiters = new Set<Waiter>();
  readonly seen = {
    hellos: 0,
    links: 0,
    asked: [] as string[],
    rows: [] as ReceivedRow[],
    resent: 0,
    heartbeats: [] as ReceivedHeartbeat[],
  };

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#ended = once(child, 'exit');
    child.on('message', (message: FromPeer) => this.#take(message));
    void this.#ended.then(() => {
      for (const { reject } of this.#waiters) reject(new Error('the control plane of the lab ended'));
    });
  }

  send(message: ToPeer): void {
    this.#child.send(message);
  }

  /** Requests a result that `seen` will hold. */
  ask(specJson: string): void {
    const taskId = `asked${this.seen.asked.length + 1}`;
    this.seen.asked.push(taskId);
    this.send({ kind: 'job', taskId, probeType: 'tcp', specJson });
  }

  next<K extends FromPeer['kind']>(kind: K, isMeant: (message: Message<K>) => boolean = () => true) {
    return new Promise<Message<K>>((resolve, reject) => {
      const isOfKind = (message: FromPeer) => message.kind === kind && isMeant(message as Message<K>);
      this.#waiters.add({ isMeant: isOfKind, resolve, reject });
    });
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  #take(message: FromPeer): void {
    this.#record(message);
    for (const waiter of this.#waiters) {
      if (!waiter.isMeant(message)) continue;
      this.#waiters.delete(waiter);
      waiter.resolve(message as never);
    }
  }

  #record(message: FromPeer): void {
    const { seen } = this;
    if (message.kind === 'hello') seen.hellos += 1;
    else if (message.kind === 'linked') seen.links += 1;
    else if (message.kind === 'result') seen.rows.push(message);
    else if (message.kind === 'resent') seen.resent += message.rows;
    else if (message.kind === 'heartbeat') seen.heartbeats.push(message);
  }
}
