import { alternatives } from '@vantage/shared/complaints.js';
import { isMonitorType, type MonitorType, monitorTypeNames } from '@vantage/shared/monitor-types/index.js';
import { parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { ApiError, fieldError } from '../../../http/errors.js';

/** Type of monitors that no node checks: they wait for pings of a job. */
export const HEARTBEAT = 'heartbeat';

/** Names of the types that can be created, without their aliases. */
const checkedTypeWords = [...monitorTypeNames, HEARTBEAT];

/**
 * Type by any of its names. @throws ApiError VALIDATION_FAILED, with status 422 for a type that this service does not
 * check yet
 */
export function monitorTypeNamed(name: string): MonitorType | typeof HEARTBEAT {
  const type = parseTypeName(name);
  if (type === null) throw fieldError('type', 'enum', `no such type of monitor${alternatives(name, checkedTypeWords)}`);
  if (isMonitorType(type) || type === HEARTBEAT) return type;
  const message = `this service does not check "${type}" yet; known: ${checkedTypeWords.join(', ')}`;
  throw new ApiError('VALIDATION_FAILED', { status: 422, details: { type: [{ code: 'not_supported', message }] } });
}
