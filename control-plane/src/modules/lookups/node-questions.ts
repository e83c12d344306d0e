import type { Clock } from '@vantage/shared/clock.js';
import type { AsnOf } from '@vantage/shared/probe-types/definition.js';
import type { AskedRegistryServer } from '@vantage/shared/probe-types/domain.js';
import { type MeasurementType, measurementOf, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { AgentResult } from '@vantage/shared/probe-types/node-result.js';
import { ApiError, notConfigured } from '../../http/errors.js';
import type { Node, NodeDirectory, NodeSelection } from '../nodes/index.js';
import type { Probes } from '../probes/index.js';
import type { Answer } from './answers/answer.js';
import { chooseNodes, hasLookupNodes } from './choose-nodes.js';
import type { Found, NodeRun, Question } from './kinds/lookup.js';
import { isFailureOfNode } from './kinds/node-failure.js';

/** Nodes that one question may be put to, one after the other. */
const MAX_NODES = 2;

const NO_LOOKUP_NODES =
  'this installation has no node that may run lookups: give a node of an administrator the tag lookup, or name nodes in VANTAGE_LOOKUP_NODES';

/** Servers of registries, as all nodes share them. */
export interface Registries {
  listShut(): Promise<readonly string[]>;
  note(asked: readonly AskedRegistryServer[]): Promise<void>;
  /** Time for which servers are not to be asked, in milliseconds; those without a time may be. */
  shutTimes(servers: readonly string[]): Promise<ReadonlyMap<string, number>>;
}

interface NodeQuestionsOptions {
  readonly registries: Registries;
  readonly probes: Pick<Probes, 'ask'>;
  readonly directory: NodeDirectory;
  readonly selection: NodeSelection | null;
  readonly clock: Clock;
  /** Looks up the autonomous system of an address. */
  readonly asnOf: AsnOf;
}

/** Puts questions to nodes. */
export class NodeQuestions {
  constructor(private readonly options: NodeQuestionsOptions) {}

  /**
   * Asks a node, and another one if the first failed by itself.
   * @throws ApiError UNAVAILABLE without a node or its source, RATE_LIMIT_EXCEEDED when the budget of the target is used up
   */
  async ask(lookup: NodeRun, question: Question, signal: AbortSignal): Promise<Answer> {
    const { registries, clock, asnOf } = this.options;
    const asked = new Set<string>();
    let isSourceMissing = false;
    while (asked.size < MAX_NODES) {
      const node = this.#candidates(lookup, question).find(({ id }) => !asked.has(id));
      if (node === undefined) break;
      asked.add(node.id);
      const askedAtMs = clock.now();
      const shutServers = lookup.serversOf === undefined ? [] : await registries.listShut();
      const specs = specsOf(lookup, question, shutServers);
      const [result, second = null] = await this.#measure(lookup, specs, { node, signal });
      if (result === undefined) continue;
      const servers = lookup.serversOf?.(result) ?? [];
      await registries.note(servers);
      isSourceMissing ||= result.error?.code === 'not_supported';
      if (isOwnFailure(result) || (second !== null && isOwnFailure(second))) continue;
      const shutTimes = await registries.shutTimes(servers.map(({ server }) => server));
      const context = { nowMs: clock.now(), node, text: question.text, second, asnOf, shutTimes };
      return answerOf(lookup, lookup.judge(result, context), askedAtMs);
    }
    throw this.#withoutAnswer(lookup, { isAnyAsked: asked.size > 0, isSourceMissing });
  }

  #withoutAnswer(
    { missingOnNodes }: NodeRun,
    { isAnyAsked, isSourceMissing }: { readonly isAnyAsked: boolean; readonly isSourceMissing: boolean },
  ): ApiError {
    const { directory, selection } = this.options;
    if (isSourceMissing && missingOnNodes !== undefined) return notConfigured(missingOnNodes);
    if (isAnyAsked) return noNode('the nodes that were asked failed before they had an answer');
    if (hasLookupNodes(directory.all(), selection)) return noNode('no node that may run lookups is online');
    return notConfigured(NO_LOOKUP_NODES, 'nodes');
  }

  #candidates({ kind, measures }: NodeRun, { text }: Question) {
    const { directory, selection } = this.options;
    const { capability } = measurementOf(measures);
    return chooseNodes({ nodes: directory.all(), selection, capability, question: `${kind} ${text}` });
  }

  /** Results of a node, one for each question; none if it sent none for one of them. */
  async #measure(
    { measures: type }: NodeRun,
    specs: readonly ProbeSpecs[MeasurementType][],
    { node, signal }: { readonly node: Node; readonly signal: AbortSignal },
  ): Promise<AgentResult[]> {
    const { probes } = this.options;
    const replies = await Promise.all(specs.map((spec) => probes.ask({ type, spec }, node.id, signal)));
    if (replies.includes(null)) throw signal.reason;
    const results = replies.flatMap((reply) => (reply !== null && 'result' in reply ? [reply.result] : []));
    return results.length === specs.length ? results : [];
  }
}

function specsOf(lookup: NodeRun, question: Question, shutServers: readonly string[]) {
  const second = lookup.secondSpecOf?.(question) ?? null;
  return [lookup.specOf(question, shutServers), ...(second === null ? [] : [second])];
}

function answerOf(lookup: NodeRun, found: Found, askedAtMs: number): Answer {
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

function isOwnFailure({ error }: AgentResult): boolean {
  return error !== null && isFailureOfNode(error.code);
}

function noNode(message: string): ApiError {
  return new ApiError('UNAVAILABLE', { details: { nodes: [{ code: 'not_found', message }] } });
}
