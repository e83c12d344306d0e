import { type MeasurementType, measurementOf, type ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { agentResultSchema } from '@vantage/shared/probe-types/node-result.js';
import { compileSchema, type FieldErrors, type Validation } from '@vantage/shared/validation.js';

type Check = (value: unknown) => Validation<unknown>;

/** A value that is not what the shared schema of its type asks for. */
export class SchemaMismatchError extends Error {
  override readonly name = 'SchemaMismatchError';

  constructor(readonly details: FieldErrors) {
    super(describeMismatch(details));
  }
}

/** The shared schemas of all probe types, each compiled when it is first needed. */
export class ProbeSchemas {
  readonly #specs = new Map<MeasurementType, Check>();
  readonly #results = new Map<MeasurementType, Check>();

  /** The spec with defaults filled in, in place. @throws SchemaMismatchError */
  parseSpec<T extends MeasurementType>(type: T, value: unknown): ProbeSpecs[T] {
    const check = cached(this.#specs, type, () => compileSchema(measurementOf(type).Spec));
    // ProbeSpecs[T] is derived from this schema
    return parsed(check(value)) as ProbeSpecs[T];
  }

  /** Checks that a result is an AgentResult of its type. @throws SchemaMismatchError */
  checkResult(type: MeasurementType, result: object): void {
    parsed(cached(this.#results, type, () => compileSchema(agentResultSchema(type)))(result));
  }
}

function cached(checks: Map<MeasurementType, Check>, type: MeasurementType, compile: () => Check): Check {
  const known = checks.get(type);
  if (known !== undefined) return known;
  const check = compile();
  checks.set(type, check);
  return check;
}

function parsed(validation: Validation<unknown>): unknown {
  if (!validation.ok) throw new SchemaMismatchError(validation.details);
  return validation.value;
}

/** One sentence of everything that is wrong with a value. */
export function describeMismatch(details: FieldErrors): string {
  return Object.entries(details)
    .map(([field, errors]) => `${field} ${errors.map((error) => error.message).join(', ')}`)
    .join('; ');
}
