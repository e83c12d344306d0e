import { lazily } from '@vantage/shared/lazily.js';
import { type ProbeType, probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { compileSchema } from '@vantage/shared/validation.js';
import { ApiError } from '../../http/errors.js';
import type { ProbeBody } from './probe-request.js';
import { probeRequestSchema } from './schema.js';

/** Checks of bodies by type, compiled when first needed. */
const checks = new Map(probeTypeNames.map((type) => [type, lazily(() => compileSchema(probeRequestSchema(type)))]));

/** Body of a probe request that did not come through an operation of the API. @throws ApiError VALIDATION_FAILED */
export function checkedBody(type: ProbeType, body: unknown): ProbeBody {
  const check = checks.get(type)?.();
  if (check === undefined) throw new RangeError(`no probe type "${type}"`);
  const checked = check(body);
  if (!checked.ok) throw new ApiError('VALIDATION_FAILED', { details: checked.details });
  return checked.value as ProbeBody;
}
