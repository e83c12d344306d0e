import { isMonitorType, type MonitorType } from '@vantage/shared/monitor-types/index.js';
import { lockedMonitorTypes, parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { ApiError, fieldError } from '../../http/errors.js';

/** The type that nodes check, of what people call it. @throws ApiError FEATURE_LOCKED, VALIDATION_FAILED */
export function checkedTypeOf(name: string): MonitorType {
  const type = parseTypeName(name);
  if (type === null) throw fieldError('type', 'enum', 'is no type of monitor');
  if (isMonitorType(type)) return type;
  if ((lockedMonitorTypes as readonly string[]).includes(type)) throw new ApiError('FEATURE_LOCKED');
  throw fieldError('type', 'not_supported', `this service does not check "${name}" yet`);
}
