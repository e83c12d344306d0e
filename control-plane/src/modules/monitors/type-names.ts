import { isMonitorType, type MonitorType, monitorTypeNames } from '@vantage/shared/monitor-types/index.js';
import { ApiError, fieldError } from '../../http/errors.js';

/** The type of monitors that no node checks: they wait for pings of what they watch. */
export const HEARTBEAT = 'heartbeat';

/** Other names under which a monitor may be made. */
const synonyms: Readonly<Record<string, string>> = { tcping: 'tcp', ssl: 'ssl_expiry', domain: 'domain_expiry' };
/** Types whose modules do not exist yet. */
const lockedTypes = ['llm_endpoint', 'tool_api', 'rag'] as const;

/** Every name `type` may have on create. API specification 2.2. */
export const knownTypeNames = [
  ...new Set([...monitorTypeNames, HEARTBEAT, ...Object.keys(synonyms), ...lockedTypes]),
] as readonly string[];

/** The canonical type of a name. @throws ApiError FEATURE_LOCKED, VALIDATION_FAILED */
export function parseTypeName(name: string): MonitorType | typeof HEARTBEAT {
  const type = synonyms[name] ?? name;
  if (isMonitorType(type) || type === HEARTBEAT) return type;
  if ((lockedTypes as readonly string[]).includes(type)) throw new ApiError('FEATURE_LOCKED');
  throw fieldError('type', 'not_supported', `this service does not check "${name}" yet`);
}
