import { blankRegistration } from '@vantage/shared/probe-types/domain.js';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';

type DomainResult = ProbeResults['domain'];

/** Registration of a domain or network as one registry reports it, in the members of the result. */
export type Registration = Omit<
  DomainResult,
  'success' | 'error' | 'kind' | 'domain' | 'source' | 'asked' | 'lookup_ms' | 'registered'
> & { readonly registered: boolean };

/** Registration without any further data: that of a name that no one holds, and the start of any other. */
export function bareRegistration(registered: boolean): Registration {
  return { ...blankRegistration(), registered };
}

/** The first registration, with what it leaves open taken from the second one. */
export function completedBy(first: Registration, second: Registration): Registration {
  const isOpen = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0);
  const open = Object.entries(second).filter(([name]) => isOpen(first[name as keyof Registration]));
  return { ...first, ...Object.fromEntries(open) };
}
