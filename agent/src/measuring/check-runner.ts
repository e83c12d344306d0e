import { writeDetails } from '@vantage/shared/monitor-types/check-details.js';
import type { CheckErrorCode, CheckJudgment, MonitorTypeDefinition } from '@vantage/shared/monitor-types/definition.js';
import { isMonitorType, type MonitorType, monitorTypeOf } from '@vantage/shared/monitor-types/index.js';
import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import { type MeasurementType, measurementOf, type ProbeResults } from '@vantage/shared/probe-types/index.js';
import { TargetError } from '@vantage/shared/target-policy/target-error.js';
import { compileSchema, type Validation } from '@vantage/shared/validation.js';
import { ProbeFailure, toProbeError } from '../probes/failure.js';
import type { CheckJob, CheckMeasurement } from './child-messages.js';
import { failedJudgment } from './failed-check.js';
import type { RunResult } from './failed-run.js';
import { parseJson } from './parse-json.js';
import { describeMismatch } from './probe-schemas.js';
import type { ProbeRunner } from './runner.js';

/** Codes of checks that measured nothing: they count as failed, whatever the config expects. */
const unmeasuredCodes: ReadonlySet<CheckErrorCode> = new Set<ProbeErrorCode>([
  'overload',
  'cancelled',
  'internal',
  'not_supported',
  'target_not_allowed',
]);

type ParseConfig = (value: unknown) => Validation<unknown>;

/** Parsed settings of a check. */
interface PreparedCheck {
  readonly definition: MonitorTypeDefinition;
  readonly config: object;
  readonly spec: ReturnType<MonitorTypeDefinition['toSpec']>;
}

interface CheckRunnerOptions {
  readonly runner: Pick<ProbeRunner, 'run'>;
  /** Called for a monitor type that throws where it should not. */
  readonly onFault: (type: string, error: unknown) => void;
}

/** Runs checks of monitors as probes of the ordinary runner and judges what they measured. Each gets exactly one answer. */
export class CheckRunner {
  readonly #options: CheckRunnerOptions;
  readonly #configs = new Map<MonitorType, ParseConfig>();

  constructor(options: CheckRunnerOptions) {
    this.#options = options;
  }

  /** Runs a check. Never rejects: a job that cannot be run or judged is a failed check. */
  async run(job: CheckJob): Promise<CheckMeasurement> {
    try {
      const check = this.#prepare(job);
      const result = await this.#options.runner.run(probeOf(job, check));
      const judgment = this.#judge(job, check, result);
      return this.#answer(job, result, { judgment, detailsJson: this.#detail(job, check, { result, judgment }) });
    } catch (error) {
      const { code, message } = toProbeError(error);
      return this.#answer(job, null, { judgment: failedJudgment(code, message), detailsJson: null });
    }
  }

  /** @throws ProbeFailure */
  #prepare({ type, target, configJson }: CheckJob): PreparedCheck {
    if (!isMonitorType(type))
      throw new ProbeFailure('not_supported', `this node does not support monitors of type "${type}"`);
    const definition = monitorTypeOf(type);
    const parsed = this.#parserOf(type)(parseJson(configJson));
    if (!parsed.ok) throw new ProbeFailure('not_supported', `config: ${describeMismatch(parsed.details)}`);
    // a value that passed the schema has the type of the definition
    const config = parsed.value as object;
    return { definition, config, spec: this.#specOf(definition, target, config) };
  }

  #specOf(definition: MonitorTypeDefinition, target: string, config: object): PreparedCheck['spec'] {
    try {
      return definition.toSpec(target, config);
    } catch (error) {
      if (error instanceof TargetError) throw new ProbeFailure('target_not_allowed', error.message, { cause: error });
      this.#options.onFault(definition.type, error);
      throw new ProbeFailure('internal', 'cannot prepare the check', { cause: error });
    }
  }

  #parserOf(type: MonitorType): ParseConfig {
    const known = this.#configs.get(type);
    if (known !== undefined) return known;
    const parse: ParseConfig = compileSchema(monitorTypeOf(type).Config);
    this.#configs.set(type, parse);
    return parse;
  }

  #judge({ type, nowMs }: CheckJob, { definition, config }: PreparedCheck, result: RunResult): CheckJudgment {
    const { error } = result;
    if (error !== null && unmeasuredCodes.has(error.code)) return failedJudgment(error.code, error.message);
    try {
      // the result is of this type of probe
      const measured = result as RunResult & ProbeResults[MeasurementType];
      return definition.judge(measured, config, nowMs);
    } catch (thrown) {
      this.#options.onFault(type, thrown);
      return failedJudgment('internal', 'cannot judge the result');
    }
  }

  /** Details of a result that are reported with the judgment; for a good result none, unless requested. */
  #detail(
    { type, wantsDetails }: CheckJob,
    { definition, config }: PreparedCheck,
    { result, judgment }: { readonly result: RunResult; readonly judgment: CheckJudgment },
  ): string | null {
    if (judgment.outcome === 'ok' && !wantsDetails) return null;
    if (judgment.error !== null && unmeasuredCodes.has(judgment.error.code)) return null;
    try {
      return writeDetails(definition.details(result as RunResult & ProbeResults[MeasurementType], config));
    } catch (thrown) {
      this.#options.onFault(type, thrown);
      return null;
    }
  }

  #answer(
    { id }: CheckJob,
    result: RunResult | null,
    judged: Pick<CheckMeasurement, 'judgment' | 'detailsJson'>,
  ): CheckMeasurement {
    if (result === null) return { id, ...judged, startedAt: null, loopLagMs: 0, isDisturbed: false };
    const { started_at, loop_lag_ms: loopLagMs, disturbed: isDisturbed } = result;
    return { id, ...judged, startedAt: Date.parse(started_at), loopLagMs, isDisturbed };
  }
}

/** Probe for a check: it has the full time of its type, and some for waiting. */
function probeOf({ id, caller, deadlineMs, patienceMs }: CheckJob, { definition: { probeType }, spec }: PreparedCheck) {
  const fullMs = measurementOf(probeType).deadlineMs(spec);
  return { id, caller, type: probeType, spec, deadlineMs: Math.min(deadlineMs, fullMs + patienceMs) };
}
