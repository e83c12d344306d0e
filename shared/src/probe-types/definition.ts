import { type Static, type TSchema, Type } from 'typebox';
import type { Host } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';

/**
 * Capabilities that an agent must have before it can run a type, where plain sockets are not enough. `icmp`: raw
 * sockets; `icmp_echo`: ICMP echo, by raw or unprivileged sockets; `browser`: headless Chromium.
 */
export const capabilities = ['icmp', 'icmp_echo', 'browser'] as const;
export type Capability = (typeof capabilities)[number];

/** The number of the network that announces an address; null where it is not known. */
export type AsnOf = (address: string) => number | null;

/** Looks up the network and country of an address; null when nothing is known. */
export type WhereIs = (address: string) => { readonly asn?: number; readonly country?: string } | null;

/** Schema for types whose tasks carry nothing in addition to node results and summary. */
export const NoTaskFields = Type.Object({}, { additionalProperties: false });

/** One cell of the row that people see of a result: in terminals and on pages. */
export interface Column<R> {
  readonly title: string;
  /** The details of a result show the value too, so that a narrow table may leave the column out. */
  readonly isInDetails?: true;
  cell(result: R): string;
}

/** A result at length, in the form in which the field's own tools print it: in terminals and on pages. */
export interface Details<R> {
  /** Members of the result that the lines show, so that they are not repeated. */
  readonly shows: readonly string[];
  /**
   * Lines without an end, not indented; none where there is nothing to show. Failed results are asked too. What servers
   * chose need not be cleaned here: the printer of a line does that (`detailLines`).
   */
  lines(result: R): readonly string[];
}

/**
 * Definition of a measurement as the agent needs it; for measurements that only monitors request, there is nothing
 * else.
 */
export interface MeasurementDefinition<S extends TSchema = TSchema, R extends TSchema = TSchema> {
  /** The name in paths and task records. */
  readonly type: string;
  /** Capability that the node needs. */
  readonly capability: Capability | null;
  /** Target and parameters, every one with a default or optional: what a node is asked to do. */
  readonly Spec: S;
  /** Members of a node's result, without the fields that every result has. */
  readonly Result: R;
  /** Bytes of a node's result as JSON at most: no agent measures more; larger ones are refused. */
  readonly maxResultBytes: number;
  /** True if a result of that schema and size has more in it than any agent measures. Absent if none has. */
  exceedsLimits?(result: Static<R>): boolean;
  /** Others are asked about the target: its address family asks nothing of a node. Absent if the target itself is. */
  readonly asksOthers?: true;
  /** Milliseconds after which the node must have replied in any case. */
  deadlineMs(spec: Static<S>): number;
  /** A result of which nothing could be measured, without `success` and `error`: refused, overloaded, lost nodes. */
  blank(spec: Static<S>): Omit<Static<R>, 'success' | 'error'>;
  /** The host the spec aims at. @throws TargetError */
  targetHost(spec: Static<S>): Host;
  /** Further hosts, chosen by the caller, to which the node sends packets: resolvers. @throws TargetError */
  furtherHosts(spec: Static<S>): readonly Host[];
  /**
   * Judges what can be known of a valid spec without resolving: every host in it, ports, headers.
   * @throws TargetError
   */
  checkTarget(spec: Static<S>, policy: TargetPolicy): void;
}

/**
 * Definition of one probe type, as both programs need it. The schemas validate requests (API specification 2.7), jobs
 * on the agent and results on their way in, and they are the OpenAPI document.
 */
export interface ProbeTypeDefinition<
  P extends TSchema = TSchema,
  S extends TSchema = TSchema,
  R extends TSchema = TSchema,
  M extends TSchema = TSchema,
  F extends TSchema = TSchema,
> extends MeasurementDefinition<S, R> {
  /** The name people read. */
  readonly title: string;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Parameters, every one with a default or optional. */
  readonly Params: P;
  /** Names of the parameters that the form of the start page has; all others have their defaults there. */
  readonly formParams: readonly string[];
  /** Fields that the type adds to the summary of a task. */
  readonly Summary: M;
  /** Fields that the type adds to the body of the task itself. */
  readonly TaskFields: F;
  readonly exampleTarget: string;
  /**
   * Share of the target's budget that one node's run takes, a whole number of at least 1: 1 for the load of a browser
   * or a person at a terminal for a moment, up to about 1 MiB. A burst has room for three runs with default
   * parameters.
   */
  targetWeight(spec: Static<S>): number;
  /** Main columns of a successful result, together one row; failed results show their error instead. */
  readonly columns: readonly Column<Static<R>>[];
  /** Details of a result below that row, where one row is not enough. */
  readonly details?: Details<Static<R>>;
  /** Over the results of all nodes that answered; pure. */
  summarise(results: readonly Static<R>[]): Static<M>;
  /** Values of `TaskFields`; pure. `asnOf` knows the networks of some addresses. */
  taskFields(
    spec: Static<S>,
    results: readonly { readonly nodeId: string; readonly result: Static<R> }[],
    asnOf: AsnOf,
  ): Static<F>;
  /** Writes into a result what the control plane alone knows of the addresses in it; absent: nothing. */
  annotate?(result: Static<R>, whereIs: WhereIs): void;
}
