import { HIDDEN_VALUE } from '@vantage/shared/probe-types/dns-hidden.js';
import type { QueryBudget } from '../../net/query-budget.js';
import type { ProbeContext } from '../engine.js';

/** Resources of one audit, whose queries share one budget. */
export interface AuditContext extends Pick<ProbeContext, 'policy' | 'resolver' | 'rootServers' | 'signal' | 'clock'> {
  readonly budget: QueryBudget;
  /** Port of name servers; 53 but in tests. */
  readonly port: number;
}

/** A name as strangers may see it: servers may know the node for one of their own network. */
export function shownName(name: string, { policy }: Pick<AuditContext, 'policy'>): string {
  return policy.isHiddenName(name) ? HIDDEN_VALUE : name.toLowerCase();
}
