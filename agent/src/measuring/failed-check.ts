import type { CheckErrorCode, CheckJudgment } from '@vantage/shared/monitor-types/definition.js';
import type { CheckJob, CheckMeasurement } from './child-messages.js';

/** The judgment of a check of which nothing was measured. */
export function failedJudgment(code: CheckErrorCode, message: string): CheckJudgment {
  return { outcome: 'failed', responseMs: null, statusCode: null, error: { code, message } };
}

/** The answer to a check that no child answered. */
export function failedCheck({ id }: Pick<CheckJob, 'id'>, message: string): CheckMeasurement {
  const judgment = failedJudgment('internal', message);
  return { id, judgment, detailsJson: null, startedAt: null, loopLagMs: 0, isDisturbed: false };
}
