import type { ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@vantage/shared/clock.js';
import type { ProbeResults, ProbeSpecs, ProbeType } from '@vantage/shared/probe-types/index.js';
import { type FromChild, MessageBatch, type ToChild } from 'vantage-agent/measuring/child-messages.js';
import type { ControlPlaneLists } from 'vantage-agent/measuring/policy-source.js';
import { defaultEngineSettings } from 'vantage-agent/probes/default-settings.js';
import { defaultSources, type LookupSources } from 'vantage-agent/probes/sources.js';
import type { Lab } from './lab.js';

const CHILD = fileURLToPath(import.meta.resolve('vantage-agent/measuring/child.js'));
/** Flags with which the agent starts it. */
const CHILD_FLAGS = ['--max-old-space-size=192', '--max-semi-space-size=4', '--no-parallel-scavenge', '--expose-gc'];
/** The limit of each type is shorter. */
const DEADLINE_MS = 300_000;

export interface ProberOptions {
  /** CIDRs open to probes in addition to public addresses; none without it. */
  readonly allow?: readonly string[];
  /** Addresses of the root servers that traces of DNS begin at; the public ones without it. */
  readonly rootHints?: readonly string[];
  /** Third parties that its engines ask; the public ones without it. */
  readonly sources?: LookupSources;
  /** Lists that a control plane would add to the target policy. */
  readonly lists?: ControlPlaneLists;
}

/** The agent's own measuring process on the lab's `agent`: its engines, its policy, its limits. */
export interface Prober {
  readonly pid: number;
  /** Capabilities that it found beyond plain sockets, for example `icmp`. */
  readonly capabilities: readonly string[];
  /** Runs one probe, in parallel with others. A refusal is a result too. */
  probe<T extends ProbeType>(
    type: T,
    target: string,
    params?: Partial<ProbeSpecs[T]['params']>,
  ): Promise<ProbeResults[T]>;
  /** Hands over a spec of any shape, as a careless or hostile control plane might. */
  probeRaw(type: string, spec: unknown): Promise<ProbeResults[ProbeType]>;
  /** Faults of engines that should never occur, in order. */
  readonly faults: readonly string[];
  stop(): Promise<void>;
}

/** Starts a prober; it ends with the lab at the latest. @throws Error when it ends before it is ready */
export async function startProber(lab: Lab, options: ProberOptions = {}): Promise<Prober> {
  const { allow = [], rootHints = [], sources = defaultSources, lists } = options;
  const child = lab.spawn('agent', [process.execPath, ...CHILD_FLAGS, CHILD], {
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const conversation = new Conversation(child);
  const settings = { ...defaultEngineSettings, allow, rootHints, sources };
  const opening: ToChild[] = [{ kind: 'begin', settings, serviceUrl: 'https://vantage.example' }];
  child.send(lists === undefined ? opening : [...opening, { kind: 'lists', lists }]);
  const capabilities = await conversation.ready;
  return {
    pid: child.pid ?? 0,
    capabilities,
    faults: conversation.faults,
    // both sides validate: the spec and the result conform to the schemas of the type
    probe: async (type, target, params = {}) => (await conversation.run(type, { target, params })) as never,
    probeRaw: (type, spec) => conversation.run(type, spec),
    stop: () => conversation.end(),
  };
}

/** Matches answers with questions. */
class Conversation {
  readonly faults: string[] = [];
  readonly ready: Promise<readonly string[]>;
  readonly #child: ChildProcess;
  /** Batch of messages as the agent sends them. */
  readonly #outgoing: MessageBatch<ToChild>;
  readonly #ended: Promise<void>;
  readonly #waiting = new Map<string, { resolve(resultJson: string): void; reject(error: Error): void }>();
  #lastId = 0;
  #onReady: (capabilities: readonly string[]) => void = () => {};

  constructor(child: ChildProcess) {
    this.#child = child;
    this.#outgoing = new MessageBatch((batch) => child.send(batch), systemClock);
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()));
    this.ready = new Promise((resolve, reject) => {
      this.#onReady = resolve;
      void this.#ended.then(() => reject(new Error('the prober ended before it was ready')));
    });
    child.on('message', (batch) => {
      for (const message of batch as FromChild[]) this.#take(message);
    });
    void this.#ended.then(() => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the prober ended'));
    });
  }

  async run(type: string, spec: unknown): Promise<ProbeResults[ProbeType]> {
    this.#lastId += 1;
    const id = String(this.#lastId);
    const answer = new Promise<string>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const specJson = JSON.stringify(spec);
    const message: ToChild = { kind: 'run', id, type, specJson, deadlineMs: DEADLINE_MS, caller: 'lab' };
    this.#outgoing.push(message);
    return JSON.parse(await answer) as ProbeResults[ProbeType];
  }

  async end(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }

  #take(message: FromChild): void {
    if (message.kind === 'ready') this.#onReady(message.capabilities);
    if (message.kind === 'fault') this.faults.push(`${message.type}: ${message.message}`);
    if (message.kind === 'lists-refused') this.faults.push(message.message);
    if (message.kind !== 'result') return;
    this.#waiting.get(message.id)?.resolve(message.resultJson);
    this.#waiting.delete(message.id);
  }
}
