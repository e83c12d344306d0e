import { addressKey, networkKey, SUBSCRIBERS_PER_SITE, siteKey } from '../limits/caller-networks.js';
import type { Plan, Plans } from '../plans/index.js';
import type { Allowance } from './allowance.js';
import type { Account, AnyRoute, OwnLimit, RouteLimit } from './route.js';

/** Greatest number of units in each window of time, for one caller. */
export interface Limit {
  /** Caller and kind of unit: all replicas count units with the same key together. */
  readonly key: string;
  /** Units in one window at most. */
  readonly limit: number;
  /** Length of a window; `month`: a calendar month in UTC. */
  readonly windowMs: number | 'month';
  /** Wider limit of the same length, shared with others: units are taken from both. */
  readonly within?: Omit<Limit, 'within'>;
}

/** Counts for all replicas together. Never rejects: without its store it continues with the counts of this replica. */
export interface RateLimiter {
  /** Takes `cost` (default 1) from a limit, or nothing if too little is left. */
  consume(limit: Limit, cost?: number): Promise<Allowance>;
  /** Returns units that `taken` allowed but were not used; does nothing after its window has ended. */
  refund(limit: Limit, cost: number, taken: Allowance): Promise<void>;
  /** True if this replica knows, without a request to any other, that nothing is left. */
  isExhausted(limit: Limit): boolean;
}

/** Caller of an operation. */
export interface Caller {
  /** Null if the caller has no credentials. */
  readonly account: Account | null;
  readonly address: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Waiting requests of one caller, where its plan does not allow more. */
export const POLLS_PER_MINUTE = 600;
/** Waiting requests for each request that a plan allows. */
export const POLLS_PER_REQUEST = 2;
const REFUSALS_PER_MINUTE = 300;
/** Requests of an account's browsers, where its plan does not allow more: a program that uses up its plan keeps no person from acting. */
export const BROWSER_REQUESTS_PER_MINUTE = 300;
const WINDOWS_MS: Readonly<Record<OwnLimit['per'], number>> = { minute: MINUTE_MS, hour: 3_600_000 };

/** Limit of an operation: every documented operation counts against one unless it declares otherwise. */
export function routeLimitOf({ limit, auth, isDocumented }: AnyRoute): NonNullable<AnyRoute['limit']> {
  return limit ?? (auth.kind === 'none' || isDocumented === false ? 'none' : 'standard');
}

/** The limit that a request of a caller counts against, or null. */
export function limitOf(limit: RouteLimit, caller: Caller, plans: Plans): Limit | null {
  if (limit === 'none') return null;
  if (typeof limit === 'object') return ownLimit(limit, caller.address);
  const { requests_per_minute: requestsPerMinute } = planOf(caller, plans);
  if (requestsPerMinute === null) return null;
  if (limit === 'standard' && caller.account?.isBrowser === true)
    return ofCaller('browser-requests', caller, perMinute(Math.max(BROWSER_REQUESTS_PER_MINUTE, requestsPerMinute)));
  if (limit === 'standard') return ofCaller('requests', caller, perMinute(requestsPerMinute));
  const polls = Math.max(POLLS_PER_MINUTE, POLLS_PER_REQUEST * requestsPerMinute);
  return ofCaller('poll', caller, perMinute(polls));
}

/** Number that an account would have, for a caller without one, such as `an account has 60`; null if the caller has one. */
export function accountHint(
  number: 'requests_per_minute' | 'node_tests_per_day',
  { account }: Pick<Caller, 'account'>,
  { free }: Plans,
): string | null {
  return account === null ? `an account has ${free[number] ?? 'no such limit'}` : null;
}

/** Daily quota of tests on single nodes, by calendar day in UTC; null if unlimited. */
export function nodeTestQuota(caller: Caller, plans: Plans): Limit | null {
  const { node_tests_per_day: nodeTestsPerDay } = planOf(caller, plans);
  if (nodeTestsPerDay === null) return null;
  return ofCaller('node-tests', caller, { limit: nodeTestsPerDay, windowMs: DAY_MS });
}

/**
 * Limit of requests from one address that are refused for their credentials: they count here and against no other
 * limit.
 */
export function refusalLimit(address: string): Limit {
  return ofAddress('refused', address, perMinute(REFUSALS_PER_MINUTE));
}

function ownLimit({ name, limit, per, from }: OwnLimit, address: string): Limit | null {
  const size = { limit, windowMs: WINDOWS_MS[per] };
  if (from === 'address') return ofAddress(name, address, size);
  const network = networkKey(address);
  return network === null ? null : { key: `${name}:${network}`, ...size };
}

/**
 * Key that identifies a caller for limits: the owner, whichever of its credentials is used, or the address of a caller
 * without credentials.
 */
export function callerKey({ account, address }: Caller): string {
  return account === null ? addressKey(address) : account.owner.id;
}

function planOf({ account }: Caller, plans: Plans): Plan {
  return plans[account?.plan ?? 'anonymous'];
}

type Size = Pick<Limit, 'limit' | 'windowMs'>;

function perMinute(limit: number): Size {
  return { limit, windowMs: MINUTE_MS };
}

function ofCaller(name: string, { account, address }: Caller, size: Size): Limit {
  return account === null ? ofAddress(name, address, size) : { key: `${name}:${account.owner.id}`, ...size };
}

/** Limit of a subscriber and, for IPv6, of its site: the holder of a /48 could otherwise act as 65 536 callers. */
function ofAddress(name: string, address: string, size: Size): Limit {
  const own = { key: `${name}:${addressKey(address)}`, ...size };
  const site = siteKey(address);
  if (site === null) return own;
  return { ...own, within: { ...size, key: `${name}:${site}`, limit: size.limit * SUBSCRIBERS_PER_SITE } };
}
