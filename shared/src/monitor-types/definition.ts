import type { Static, TSchema } from 'typebox';
import type { CheckOutcome } from '../monitor-state/node-reducer.js';
import type { Capability } from '../probe-types/definition.js';
import type { ProbeErrorCode } from '../probe-types/error-codes.js';
import type { MeasurementType, ProbeResults, ProbeSpecs } from '../probe-types/index.js';
import type { FieldErrors } from '../validation.js';
import type { CheckDetails } from './check-details.js';
import type { SecrecyOf } from './secrets.js';

/** Reasons why a check is not ok: a probe's reason, or one that only checks have. */
export const checkErrorCodes = ['assertion_failed', 'expected_to_fail'] as const;
export type CheckErrorCode = ProbeErrorCode | (typeof checkErrorCodes)[number];

/** Outcome of a check as the node judges it. */
export interface CheckJudgment {
  readonly outcome: CheckOutcome;
  /** Response time as the type defines it; null when nothing responded. */
  readonly responseMs: number | null;
  /** HTTP status code; null for other types and when nothing responded. */
  readonly statusCode: number | null;
  /**
   * Reason and message; null exactly when the outcome is ok. The message names failed assertions and the values found
   * instead; it can be stored and has at most 500 characters.
   */
  readonly error: { readonly code: CheckErrorCode; readonly message: string } | null;
}

/** Definition of one monitor type whose nodes run a probe, as both programs need it. */
export interface MonitorTypeDefinition<C extends TSchema = TSchema, P extends MeasurementType = MeasurementType> {
  /** The canonical name. API specification 2.2. */
  readonly type: string;
  /** The name people read. */
  readonly title: string;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Probe type that the monitor's nodes run. */
  readonly probeType: P;
  /** Capability that a node needs beyond plain sockets, or null. */
  readonly capability: Capability | null;
  /** Settings of the type; every one has a default or is optional, but those the type is nothing without. */
  readonly Config: C;
  /** The secrecy of each setting; null if none is sealed. */
  readonly secrecyOf: SecrecyOf | null;
  /** Seconds between two checks when a monitor names none; null for the plan's default. */
  readonly defaultIntervalSeconds: number | null;
  readonly exampleTarget: string;
  /** The settings that have no default and are not optional, for examples. */
  readonly exampleConfig: Readonly<Record<string, unknown>>;
  /** Errors in settings that are valid by the schema, by their dotted path; empty when there are none. */
  checkConfig(config: Static<C>): FieldErrors;
  /** Settings that passed `checkConfig`, in the one form in which they are stored; absent: as they are. Idempotent. */
  normalise?(config: Static<C>): Static<C>;
  /**
   * The probe of a check. Its spec is valid by the probe's schema.
   * @throws TargetError when the target is not one of this type
   */
  toSpec(target: string, config: Static<C>): ProbeSpecs[P];
  /**
   * Judges a probe result; pure. `nowMs` is the time of measurement, for expiry dates.
   * @throws for a result that is not valid by the probe's schema
   */
  judge(result: ProbeResults[P], config: Static<C>, nowMs: number): CheckJudgment;
  /** Details of a result that are reported with the judgment; pure, and free of the sealed values of the config. */
  details(result: ProbeResults[P], config: Static<C>): CheckDetails;
}
