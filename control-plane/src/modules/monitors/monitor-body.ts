import { parseQuorum } from '@vantage/shared/monitor-state/quorum.js';
import { fieldError } from '../../http/errors.js';
import type { NodeSelection } from '../nodes/index.js';
import type { MonitorCreate } from './schema.js';
import type { Settings } from './settings.js';
import type { MonitorFields } from './store.js';

// What the body of a POST or PATCH says, laid over what a monitor was.

const DEFAULT_NODES = 3;
const DEFAULT_RULE = { consecutive_fail: 2, consecutive_ok: 1, fail_node_quorum: '2/3' };

/** What a new monitor is before anything was said of it. */
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
  notifies_owner: true,
} satisfies Partial<MonitorFields>;

/** One of two names of a field; undefined: neither is given. @throws ApiError when they differ */
export function same<K extends keyof MonitorCreate, L extends keyof MonitorCreate>(
  body: Partial<MonitorCreate>,
  name: K,
  other: L,
) {
  const [value, second] = [body[name], body[other]];
  if (value !== undefined && second !== undefined && JSON.stringify(value) !== JSON.stringify(second))
    throw fieldError(other, 'conflict', `is another name of ${name}, which says otherwise`);
  return (value ?? second) as (MonitorCreate[K] & MonitorCreate[L]) | undefined;
}

/** The settings a body gives, wherever it puts the assertions; null: none. */
export function settingsOf(body: Partial<MonitorCreate>, before: MonitorFields): Settings | null {
  const config = same(body, 'config', 'params') as Settings | undefined;
  const { assertions } = body;
  if (assertions === undefined) return config ?? null;
  if (config?.['assertions'] !== undefined && JSON.stringify(config['assertions']) !== JSON.stringify(assertions))
    throw fieldError('assertions', 'conflict', 'is another place for config.assertions, which says otherwise');
  return { ...(config ?? before.config), assertions };
}

/** Which nodes are to check it, and how many. @throws ApiError where two names of one field differ */
export function selectionOf(
  body: Partial<MonitorCreate>,
  before: MonitorFields,
): NodeSelection & { readonly limit: number } {
  const given = same(body, 'node_selection', 'nodes') as NodeSelection | undefined;
  const selection = given ?? before.node_selection;
  const count = body.node_count;
  if (count !== undefined && given?.limit !== undefined && given.limit !== count)
    throw fieldError('node_count', 'conflict', 'is another name of node_selection.limit, which says otherwise');
  const limit = count ?? given?.limit ?? (given === undefined ? before.node_count : DEFAULT_NODES);
  return { spread: 'asn', ...selection, limit };
}

/** When it is down. @throws ApiError for what is no quorum */
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

/** What of a body is stored as it is given. */
export function rest(body: Partial<MonitorCreate>): Partial<MonitorFields> {
  const { group_id, tags, alert_policy_id, notify_owner } = body;
  return {
    ...(group_id === undefined ? {} : { group_id }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].sort() }),
    ...(alert_policy_id === undefined ? {} : { alert_policy_id }),
    ...(notify_owner === undefined ? {} : { notifies_owner: notify_owner }),
  };
}
