import { fieldError } from '../../../http/errors.js';
import type { MonitorChange, MonitorCreate } from './schema.js';

const ofNodes = ['assertions', 'node_selection', 'nodes', 'node_count', 'trigger_rule'] as const;
const derived = ['target', 'interval_s', 'interval_sec'] as const;

/** Checks that a body has no field that applies only to monitors checked by nodes. @throws ApiError VALIDATION_FAILED */
export function refuseNodeFields(body: Partial<MonitorCreate>): void {
  const given = ofNodes.find((name) => body[name] !== undefined);
  if (given !== undefined)
    throw fieldError(given, 'not_supported', 'does not apply to a heartbeat, which no node checks');
}

/** Checks that a body has no field that is derived from token and settings. @throws ApiError VALIDATION_FAILED */
export function refuseDerivedFields(body: MonitorChange): void {
  const given = derived.find((name) => body[name] !== undefined);
  if (given !== undefined)
    throw fieldError(
      given,
      'not_supported',
      'follows from the token or the config of a heartbeat and cannot be changed',
    );
}
