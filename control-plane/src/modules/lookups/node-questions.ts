import type { Clock } from '@vantage/shared/clock.js';
import type { AskedRegistryServer } from '@vantage/shared/probe-types/domain.js';
import { measurementOf } from '@vantage/shared/probe-types/index.js';
import type { AgentResult } from '@vantage/shared/probe-types/node-result.js';
import { ApiError } from '../../http/errors.js';
import type { Node, NodeDirectory, NodeSelection } from '../nodes/index.js';
import type { Probes } from '../probes/index.js';
import type { Answer } from './answers/answer.js';
import { chooseNodes } from './choose-nodes.js';
import type { NodeLookup, Question } from './kinds/lookup.js';
import { isFailureOfNode } from './kinds/node-failure.js';

/** Nodes that one question may be put to, one after the other. */
const MAX_NODES = 2;

/** Servers of registries, as all nodes share them. */
export interface Registries {
  listShut(): Promise<readonly string[]>;
  note(asked: readonly AskedRegistryServer[]): Promise<void>;
}

interface NodeQuestionsOptions {
  readonly registries: Registries;
  readonly probes: Pick<Probes, 'ask'>;
  readonly directory: NodeDirectory;
  readonly selection: NodeSelection | null;
  readonly clock: Clock;
}

/** Puts questions to nodes. */
export class NodeQuestions {
  constructor(private readonly options: NodeQuestionsOptions) {}

  /** Checks that a node is online for it. @throws ApiError UNAVAILABLE */
  checkNodes(lookup: NodeLookup, question: Question): void {
    if (this.#candidates(lookup, question).length === 0) throw noNode('no node that may run lookups is online');
  }

  /**
   * Asks a node, and another one if the first failed by itself.
   * @throws ApiError UNAVAILABLE without a node, RATE_LIMIT_EXCEEDED when the budget of the target is used up
   */
  async ask(lookup: NodeLookup, question: Question, signal: AbortSignal): Promise<Answer> {
    const asked = new Set<string>();
    while (asked.size < MAX_NODES) {
      const node = this.#candidates(lookup, question).find(({ id }) => !asked.has(id));
      if (node === undefined) break;
      asked.add(node.id);
      const askedAtMs = this.options.clock.now();
      const shutServers = lookup.serversOf === undefined ? [] : await this.options.registries.listShut();
      const spec = lookup.specOf(question, shutServers);
      const reply = await this.options.probes.ask({ type: lookup.measures, spec }, node.id, signal);
      if (reply === null) throw signal.reason;
      if (!('result' in reply)) continue;
      const { result } = reply;
      if (lookup.serversOf !== undefined) await this.options.registries.note(lookup.serversOf(result));
      if (!isOwnFailure(result)) return this.#answerOf(lookup, result, { askedAtMs, node });
    }
    throw noNode(
      asked.size === 0
        ? 'no node that may run lookups is online'
        : 'the nodes that were asked failed before they had an answer',
    );
  }

  #candidates({ kind, measures }: NodeLookup, { text }: Question) {
    const { directory, selection } = this.options;
    const { capability } = measurementOf(measures);
    return chooseNodes({ nodes: directory.all(), selection, capability, question: `${kind} ${text}` });
  }

  #answerOf(
    lookup: NodeLookup,
    result: AgentResult,
    { askedAtMs, node }: { readonly askedAtMs: number; readonly node: Node },
  ): Answer {
    const found = lookup.judge(result, { nowMs: this.options.clock.now(), node });
    const { isFailure, freshMs } = found;
    const freshUntilMs = askedAtMs + freshMs;
    return {
      isFailure,
      askedAtMs,
      freshUntilMs,
      staleUntilMs: freshUntilMs + (isFailure ? 0 : lookup.staleMs),
      body: isFailure ? { message: found.message } : found.data,
    };
  }
}

function isOwnFailure({ error }: AgentResult): boolean {
  return error !== null && isFailureOfNode(error.code);
}

function noNode(message: string): ApiError {
  return new ApiError('UNAVAILABLE', { details: { nodes: [{ code: 'not_found', message }] } });
}
