import type { AskedRegistryServer } from '@vantage/shared/probe-types/domain.js';
import type { MeasurementType, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { AgentResult } from '@vantage/shared/probe-types/node-result.js';
import type { Host } from '@vantage/shared/target-policy/host.js';
import type { TargetPolicy } from '@vantage/shared/target-policy/policy.js';
import type { TProperties, TSchema } from 'typebox';
import type { GeoDatabases } from '../../../geo/index.js';
import type { Locale } from '../../../http/locale.js';

/** Query of a lookup after validation against its schema. */
export interface LookupQuery {
  readonly q: string;
  readonly [option: string]: unknown;
}

/** Question in canonical form. */
export interface Question {
  /** Equal questions have equal texts: the canonical `q`, and options behind it. */
  readonly text: string;
  /** Host that it is about. */
  readonly host: Host;
  /** Options of the kind that the node gets, defaults filled in. */
  readonly options: Readonly<Record<string, unknown>>;
}

interface LookupFacts {
  /** Name in the path, in cache keys and in metrics. */
  readonly kind: string;
  readonly summary: string;
  readonly description: string;
  /** Query parameters in addition to `q`. */
  readonly options: TProperties;
  readonly qDescription: string;
  readonly qExample: string;
  /** Schema of the answer. */
  readonly Data: TSchema;
  /** Example of an answer; absent: one made from the schema. */
  readonly example?: object;
  /** Reads a query. @throws TargetError naming `q` or an option */
  readQuestion(query: LookupQuery, policy: TargetPolicy): Question;
}

/** Finding of a node as it is kept. A failure is that of a third party, and is not shown as an answer. */
export type Found =
  | { readonly isFailure: false; readonly data: object; readonly freshMs: number }
  | { readonly isFailure: true; readonly message: string; readonly freshMs: number };

/** Facts besides a result. */
export interface JudgeContext<T extends MeasurementType = MeasurementType> {
  /** Question in canonical form. */
  readonly text: string;
  /** Result of the second question; null if none was asked. */
  readonly second: AgentResult<T> | null;
  /** Number of the network that announces an address; null if unknown. */
  asnOf(address: string): number | null;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Time for which the registry servers of the result are not to be asked, in milliseconds; those without a time may be. */
  readonly shutTimes: ReadonlyMap<string, number>;
  /** Node that measured. */
  readonly node: { readonly country: string | null; readonly asn: number | null };
}

/** Question that a node answers, and the answer that is kept of it. */
export interface NodeRun {
  /** Name in cache keys and in metrics. */
  readonly kind: string;
  /** Version of the form of its answer: another one makes the kept answers of earlier versions unreachable. */
  readonly version: number;
  /** Longest time that a caller waits, in milliseconds. */
  readonly deadlineMs: number;
  /** Time after the end of its freshness for which an answer stands in for one that cannot be had, in milliseconds. */
  readonly staleMs: number;
  /** Measurement of the node. */
  readonly measures: MeasurementType;
  /** `shutServers`: servers of registries that are not to be asked at present. */
  specOf(question: Question, shutServers: readonly string[]): ProbeSpecs[MeasurementType];
  /** A second measurement for the same answer, by the same node at the same time; null, or absent: none. */
  secondSpecOf?(question: Question): ProbeSpecs[MeasurementType] | null;
  /** Finding in a result that says something about the target or a third party; pure. */
  judge(result: AgentResult, context: JudgeContext): Found;
  /** Servers of registries that the node asked; absent: the lookup asks none. */
  serversOf?(result: AgentResult): readonly AskedRegistryServer[];
  /** Message where nodes lack a setting that the measurement needs; absent: it needs none. */
  readonly missingOnNodes?: string;
  /** The answer in the language of the caller; absent: it has no text for people. */
  localise?(data: object, locale: Locale): object;
}

export interface NodeLookup extends LookupFacts, NodeRun {
  readonly runs: 'on a node';
}

/** Sources of lookups that need no node. */
export interface MemorySources {
  readonly geo: GeoDatabases;
  /** Lines that the licences of the databases ask for. */
  readonly attribution: readonly string[];
  readonly locale: Locale;
}

/** Lookup that is answered from memory. */
export interface MemoryLookup extends LookupFacts {
  readonly runs: 'in memory';
  /** The answer; null if no source is there. */
  answer(question: Question, sources: MemorySources): object | null;
  /** Message about the source that is missing, with its setting. */
  missing(geo: Pick<GeoDatabases, 'directory'>): string;
}

export type Lookup = NodeLookup | MemoryLookup;

/** Types the definition of a lookup that a node runs by the measurement that it makes. */
export function nodeLookup<T extends MeasurementType>(
  definition: Omit<NodeLookup, 'runs' | 'measures' | 'specOf' | 'secondSpecOf' | 'judge' | 'serversOf'> & {
    readonly measures: T;
    specOf(question: Question, shutServers: readonly string[]): ProbeSpecs[T];
    secondSpecOf?(question: Question): ProbeSpecs[T] | null;
    judge(result: AgentResult<T>, context: JudgeContext<T>): Found;
    serversOf?(result: AgentResult<T>): readonly AskedRegistryServer[];
  },
): NodeLookup {
  // a task of type `measures` has results of this type: ingest checks it
  return { ...definition, runs: 'on a node' } as unknown as NodeLookup;
}

/** Types the definition of a question by the measurement that a node makes, for one that has no operation of its own. */
export function nodeRun<T extends MeasurementType>(
  definition: Omit<NodeRun, 'measures' | 'specOf' | 'secondSpecOf' | 'judge' | 'serversOf'> & {
    readonly measures: T;
    specOf(question: Question, shutServers: readonly string[]): ProbeSpecs[T];
    judge(result: AgentResult<T>, context: JudgeContext<T>): Found;
  },
): NodeRun {
  // as for `nodeLookup`
  return definition as unknown as NodeRun;
}

/** Types the definition of a lookup that is answered from memory. */
export function memoryLookup(definition: Omit<MemoryLookup, 'runs'>): MemoryLookup {
  return { ...definition, runs: 'in memory' };
}
