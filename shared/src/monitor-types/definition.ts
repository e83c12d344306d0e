import type { Static, TSchema } from 'typebox';
import type { CheckOutcome } from '../monitor-state/node-reducer.js';
import type { Capability } from '../probe-types/definition.js';
import type { ProbeErrorCode } from '../probe-types/error-codes.js';
import type { MeasurementType, ProbeResults, ProbeSpecs } from '../probe-types/index.js';
import type { FieldErrors } from '../validation.js';
import type { CheckDetails } from './check-details.js';

/** Why a check is not well: a probe's reason, or one that only checks have. */
export const checkErrorCodes = ['assertion_failed', 'expected_to_fail'] as const;
export type CheckErrorCode = ProbeErrorCode | (typeof checkErrorCodes)[number];

/** What a check came to, as the node judges it. */
export interface CheckJudgment {
  readonly outcome: CheckOutcome;
  /** Of what the type measures; null when nothing answered. */
  readonly responseMs: number | null;
  /** Of HTTP; null for other types and when nothing answered. */
  readonly statusCode: number | null;
  /**
   * Null exactly when the outcome is ok. The message names failed assertions and the values found instead; it can be
   * stored and has at most 500 characters.
   */
  readonly error: { readonly code: CheckErrorCode; readonly message: string } | null;
}

/** Everything both programs need to know of one type of monitor whose nodes run a probe. */
export interface MonitorTypeDefinition<C extends TSchema = TSchema, P extends MeasurementType = MeasurementType> {
  /** The canonical name. API specification 2.2. */
  readonly type: string;
  /** The name people read. */
  readonly title: string;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** What its nodes run. */
  readonly probeType: P;
  /** What a node must be able to do beyond plain sockets; null: nothing. */
  readonly capability: Capability | null;
  /** Settings of the type; every one has a default or is optional, but those the type is nothing without. */
  readonly Config: C;
  /** Paths in the config whose values are sealed and never shown again; `secretPathsIn` says how they are read. */
  readonly secrets: readonly string[];
  /** Seconds between two checks when a monitor names none; null: the plan's default. */
  readonly defaultIntervalSeconds: number | null;
  readonly exampleTarget: string;
  /** The settings that have no default and are not optional, for examples. */
  readonly exampleConfig: Readonly<Record<string, unknown>>;
  /** What is wrong with settings that are valid by the schema, by their dotted path; empty: nothing. */
  checkConfig(config: Static<C>): FieldErrors;
  /** Settings that passed `checkConfig`, in the one form in which they are stored; absent: as they are. Idempotent. */
  normalise?(config: Static<C>): Static<C>;
  /**
   * The probe of a check. Its spec is valid by the probe's schema.
   * @throws TargetError when the target is not one of this type
   */
  toSpec(target: string, config: Static<C>): ProbeSpecs[P];
  /** What a result means; pure, and throws for none that is valid by the probe's schema. `nowMs`: when it was measured, for expiry dates. */
  judge(result: ProbeResults[P], config: Static<C>, nowMs: number): CheckJudgment;
  /** What of a result is told beside the judgment; pure as `judge`, and without anything that is sealed of the config. */
  details(result: ProbeResults[P], config: Static<C>): CheckDetails;
}
