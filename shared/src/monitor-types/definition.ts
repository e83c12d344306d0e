import type { Static, TSchema } from 'typebox';
import type { CheckOutcome } from '../monitor-state/node-reducer.js';
import type { Capability } from '../probe-types/definition.js';
import type { ProbeErrorCode } from '../probe-types/error-codes.js';
import type { ProbeResults, ProbeSpecs, ProbeType } from '../probe-types/index.js';

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
  /** Null exactly when the outcome is ok. The message names failed assertions and the values found instead. */
  readonly error: { readonly code: CheckErrorCode; readonly message: string } | null;
}

/** Everything both programs need to know of one type of monitor whose nodes run a probe. */
export interface MonitorTypeDefinition<C extends TSchema = TSchema, P extends ProbeType = ProbeType> {
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
  /** Settings of the type, every one with a default or optional. */
  readonly Config: C;
  /** Paths in the config whose values are sealed and never shown again. */
  readonly secrets: readonly string[];
  /** Seconds between two checks when a monitor names none; null: the plan's default. */
  readonly defaultIntervalSeconds: number | null;
  readonly exampleTarget: string;
  /**
   * The probe of a check. Its spec is valid by the probe's schema.
   * @throws TargetError when the target is not one of this type
   */
  toSpec(target: string, config: Static<C>): ProbeSpecs[P];
  /** What a result means; pure. `nowMs`: when it was measured, for expiry dates. */
  judge(result: ProbeResults[P], config: Static<C>, nowMs: number): CheckJudgment;
}
