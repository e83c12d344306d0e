import { isMonitorType, type MonitorType } from '@vantage/shared/monitor-types/index.js';
import { lockedMonitorTypes, parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { ApiError, fieldError } from '../../http/errors.js';

/** The type of monitors that no node checks: they wait for pings of what they watch. */
export const HEARTBEAT = 'heartbeat';

/** The type of what people call it. @throws ApiError FEATURE_LOCKED, VALIDATION_FAILED */
export function monitorTypeNamed(name: string): MonitorType | typeof HEARTBEAT {
  const type = parseTypeName(name);
  if (type === null) throw fieldError('type', 'enum', 'is no type of monitor');
  if (isMonitorType(type) || type === HEARTBEAT) return type;
  if ((lockedMonitorTypes as readonly string[]).includes(type)) throw new ApiError('FEATURE_LOCKED');
  throw fieldError('type', 'not_supported', `this service does not check "${name}" yet`);
}
