import { parseQuorum } from '@vantage/shared/monitor-state/quorum.js';
import { fieldError } from '../../../http/errors.js';
import type { NodeSelection } from '../../nodes/index.js';
import type { MonitorCreate } from './schema.js';
import type { Settings } from './settings.js';
import type { MonitorFields } from './store.js';

// Applies the body of a POST or PATCH to the previous fields of a monitor.

const DEFAULT_NODES = 3;
const DEFAULT_RULE = { consecutive_fail: 2, consecutive_ok: 1, fail_node_quorum: '2/3' };

/** Fields of a new monitor before the request is applied. */
export const blankMonitor = {
  target: '',
  interval_s: 0,
  config: {},
  sealed_secrets: null,
  group_id: null,
  tags: [],
  node_selection: {},
  node_count: DEFAULT_NODES,
  ...DEFAULT_RULE,
  alert_policy_id: null,
  alert_severity: { down: 'critical', degraded: 'warning' },
  notifies_owner: true,
} satisfies Partial<MonitorFields>;

/** Value of a field that has two names; undefined if neither is given. @throws ApiError if the two differ */
export function same<K extends keyof MonitorCreate, L extends keyof MonitorCreate>(
  body: Partial<MonitorCreate>,
  name: K,
  other: L,
) {
  const [value, second] = [body[name], body[other]];
  if (value !== undefined && second !== undefined && JSON.stringify(value) !== JSON.stringify(second))
    throw fieldError(other, 'conflict', `is an alias of ${name}, which has another value`);
  return (value ?? second) as (MonitorCreate[K] & MonitorCreate[L]) | undefined;
}

/** Settings in a body, with assertions from either place, or null. */
export function settingsOf(body: Partial<MonitorCreate>, before: MonitorFields): Settings | null {
  const config = same(body, 'config', 'params') as Settings | undefined;
  const { assertions } = body;
  if (assertions === undefined) return config ?? null;
  if (config?.['assertions'] !== undefined && JSON.stringify(config['assertions']) !== JSON.stringify(assertions))
    throw fieldError('assertions', 'conflict', 'is an alias of config.assertions, which has another value');
  return { ...(config ?? before.config), assertions };
}

/** Selection and number of nodes. @throws ApiError if two names of one field differ */
export function selectionOf(
  body: Partial<MonitorCreate>,
  before: MonitorFields,
): NodeSelection & { readonly limit: number } {
  const given = same(body, 'node_selection', 'nodes') as NodeSelection | undefined;
  const selection = given ?? before.node_selection;
  const count = body.node_count;
  if (count !== undefined && given?.limit !== undefined && given.limit !== count)
    throw fieldError('node_count', 'conflict', 'is an alias of node_selection.limit, which has another value');
  const limit = count ?? given?.limit ?? (given === undefined ? before.node_count : DEFAULT_NODES);
  return { spread: 'asn', ...selection, limit };
}

/** Trigger rule. @throws ApiError for an invalid quorum */
export function ruleOf({ trigger_rule: rule = {} }: Partial<MonitorCreate>, before: MonitorFields) {
  const quorum = rule.fail_node_quorum ?? before.fail_node_quorum;
  if (parseQuorum(quorum) === null)
    throw fieldError('trigger_rule.fail_node_quorum', 'format', 'must be a fraction like 2/3, a count, all or any');
  return {
    consecutive_fail: rule.consecutive_fail ?? before.consecutive_fail,
    consecutive_ok: rule.consecutive_ok ?? before.consecutive_ok,
    fail_node_quorum: quorum,
  };
}

/** Fields of a body that are stored as they are given. Does not check that group and alert policy belong to the caller. */
export function rest(body: Partial<MonitorCreate>, before: MonitorFields): Partial<MonitorFields> {
  const { group_id, tags, alert_policy_id, alert_severity, notify_owner } = body;
  return {
    ...(group_id === undefined ? {} : { group_id }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].sort() }),
    ...(alert_policy_id === undefined ? {} : { alert_policy_id }),
    ...(alert_severity === undefined ? {} : { alert_severity: { ...before.alert_severity, ...alert_severity } }),
    ...(notify_owner === undefined ? {} : { notifies_owner: notify_owner }),
  };
}
