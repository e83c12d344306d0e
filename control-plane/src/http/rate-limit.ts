import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Plan, Plans } from '../plans.js';
import type { Account, AnyRoute, LimitName } from './route.js';

/** So many of something in every window of time, for one caller. */
export interface Limit {
  /** Whose, and of what: all replicas count what has the same key together. */
  readonly key: string;
  /** At most so many in one window. */
  readonly limit: number;
  readonly windowMs: number;
}

/** What is left of a limit after something was, or was not, taken from it. */
export interface Allowance {
  readonly limit: number;
  /** Left in this window. */
  readonly remaining: number;
  /** When the window ends, milliseconds since the epoch, on a whole second. */
  readonly resetsAt: number;
  readonly isAllowed: boolean;
}

/** Counts for all replicas together. Never rejects: without its store it goes on with what this replica knows. */
export interface RateLimiter {
  /** Takes `cost` (default 1) from a limit, or nothing when there is not enough left. */
  consume(limit: Limit, cost?: number): Promise<Allowance>;
  /** Gives back what `taken` allowed and then did not happen; nothing when its window has ended. */
  refund(limit: Limit, cost: number, taken: Allowance): Promise<void>;
  /** Whether this replica knows that nothing is left; asks nobody. */
  isExhausted(limit: Limit): boolean;
}

/** Who asks. */
export interface Caller {
  /** Null: somebody without credentials. */
  readonly account: Account | null;
  readonly address: string;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Waiting requests of one caller. */
export const POLLS_PER_MINUTE = 600;
/** Attempts to sign in from one address. */
export const SIGN_INS_PER_MINUTE = 30;
/** Accounts made from one address. */
export const REGISTRATIONS_PER_HOUR = 20;
/** Attempts to enroll from one network. */
export const ENROLLMENTS_PER_MINUTE = 600;
const REFUSALS_PER_MINUTE = 300;
const HOUR_MS = 3_600_000;

/** Every documented operation counts against something unless it says otherwise. */
export function limitNameOf({ limit, auth, isDocumented }: AnyRoute): NonNullable<AnyRoute['limit']> {
  return limit ?? (auth.kind === 'none' || isDocumented === false ? 'none' : 'standard');
}

/** The limit of a name for a caller; null: none. */
export function limitOf(name: LimitName, caller: Caller, plans: Plans): Limit | null {
  if (name === 'none') return null;
  if (name === 'sign-in') return perMinute(`sign-in:${addressKey(caller.address)}`, SIGN_INS_PER_MINUTE);
  const who = callerKey(caller);
  if (name === 'registration') {
    const key = `registration:${addressKey(caller.address)}`;
    return { key, limit: REGISTRATIONS_PER_HOUR, windowMs: HOUR_MS };
  }
  if (name === 'enrollment') {
    const network = networkKey(caller.address);
    return network === null ? null : perMinute(`enrollment:${network}`, ENROLLMENTS_PER_MINUTE);
  }
  if (name === 'poll') return perMinute(`poll:${who}`, POLLS_PER_MINUTE);
  const { requestsPerMinute } = planOf(caller, plans);
  return requestsPerMinute === null ? null : perMinute(`requests:${who}`, requestsPerMinute);
}

/** The quota of tests on single nodes, of every calendar day in UTC; null: any number. */
export function nodeTestQuota(caller: Caller, plans: Plans): Limit | null {
  const { nodeTestsPerDay } = planOf(caller, plans);
  if (nodeTestsPerDay === null) return null;
  return { key: `node-tests:${callerKey(caller)}`, limit: nodeTestsPerDay, windowMs: DAY_MS };
}

/** Requests from one address that are refused for their credentials: they count here and nowhere else. */
export function refusalLimit(address: string): Limit {
  return perMinute(`refused:${addressKey(address)}`, REFUSALS_PER_MINUTE);
}

/** Who a limit is for: the account, whichever of its credentials is used, or the address of somebody without one. */
export function callerKey({ account, address }: Caller): string {
  return account === null ? addressKey(address) : account.userId;
}

/** One subscriber: an IPv4 address, or the /64 an IPv6 address is in. */
export function addressKey(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}

/**
 * One site: the /24 of an IPv4 address, the smallest network that is routed by itself, or the /48 of an IPv6 address, what a
 * site gets (RFC 6177); null for this very machine, whose callers have nothing in common.
 */
export function networkKey(address: string): string | null {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  if (parsed.range() === 'loopback') return null;
  const bits = parsed.kind() === 'ipv4' ? 24 : 48;
  const network = parsed.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${network.networkAddressFromCIDR(`${parsed.toString()}/${bits}`).toString()}/${bits}`;
}

function planOf({ account }: Caller, plans: Plans): Plan {
  return plans[account?.plan ?? 'anonymous'];
}

function perMinute(key: string, limit: number): Limit {
  return { key, limit, windowMs: MINUTE_MS };
}
