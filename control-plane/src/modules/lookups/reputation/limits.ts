import type { Allowance } from '../../../http/allowance.js';
import { type ApiError, limitReached } from '../../../http/errors.js';
import type { Caller, Limit, RateLimiter } from '../../../http/rate-limit.js';
import { addressKey, networkKey } from '../../../limits/caller-networks.js';
import { effectiveLimits, type Plans } from '../../../plans/index.js';

// Limits of reputation checks, in addition to the requests of the plan:
//
//   without credentials   an address (IPv6: its /64)        10 a minute, 100 a day
//                         its network (IPv4 /24, IPv6 /48)  300 a day
//   with credentials      one key, token or session         60 a minute
//                         the owner                         reputation_per_month of the plan
//
// Days and months are those of the calendar in UTC. A check is taken from all of them or from none.

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const [ADDRESS_PER_MINUTE, ADDRESS_PER_DAY, NETWORK_PER_DAY, KEY_PER_MINUTE] = [10, 100, 300, 60];

interface LimitsOptions {
  readonly limiter: RateLimiter;
  readonly plans: Plans;
}

/** A check that was taken from the limits of its caller. */
export interface TakenCheck {
  /** Returns it, because there was no result. */
  giveBack(): Promise<void>;
}

/** A limit, and the code of a refusal by it. */
interface CheckLimit extends Limit {
  readonly code: 'RATE_LIMIT_EXCEEDED' | 'QUOTA_EXCEEDED';
}

/** Takes one check from the limits of a caller. @throws ApiError RATE_LIMIT_EXCEEDED, QUOTA_EXCEEDED; then none is taken */
export async function takeCheck({ limiter, plans }: LimitsOptions, caller: Caller): Promise<TakenCheck> {
  const asked = checkLimits(caller, plans);
  // at once: in turn, each would be a round trip to the database
  const answers = await Promise.all(
    asked.map(async ({ code, ...limit }) => ({ code, limit, allowance: await limiter.consume(limit) })),
  );
  const taken = answers.filter(({ allowance }) => allowance.isAllowed);
  const giveBack = async () => {
    for (const { limit, allowance } of taken) await limiter.refund(limit, 1, allowance);
  };
  const refused = answers.find(({ allowance }) => !allowance.isAllowed);
  if (refused === undefined) return { giveBack };
  await giveBack();
  throw refusal(refused.code, refused.allowance);
}

/** Refuses a caller that this replica knows to have no check left. @throws ApiError RATE_LIMIT_EXCEEDED, QUOTA_EXCEEDED */
export async function refuseExhausted({ limiter, plans }: LimitsOptions, caller: Caller): Promise<void> {
  for (const { code, ...limit } of checkLimits(caller, plans)) {
    const allowance = limiter.isExhausted(limit) ? await limiter.consume(limit) : null;
    if (allowance?.isAllowed === false) throw refusal(code, allowance);
  }
}

/** Limits that a check of a caller counts against. */
export function checkLimits({ account, address }: Caller, plans: Plans): CheckLimit[] {
  const code = 'RATE_LIMIT_EXCEEDED';
  if (account === null) return addressLimits(address).map((limit) => ({ ...limit, code }));
  const key = { key: `reputation:${account.credentialId}`, limit: KEY_PER_MINUTE, windowMs: MINUTE_MS, code } as const;
  const { reputation_per_month: perMonth } = effectiveLimits(plans, account);
  if (perMonth === null) return [key];
  return [
    key,
    { key: `reputation-month:${account.owner.id}`, limit: perMonth, windowMs: 'month', code: 'QUOTA_EXCEEDED' },
  ];
}

function addressLimits(address: string): Limit[] {
  const own = addressKey(address);
  const network = networkKey(address);
  const within = { key: `reputation-network:${network}`, limit: NETWORK_PER_DAY, windowMs: DAY_MS };
  const day = { key: `reputation-day:${own}`, limit: ADDRESS_PER_DAY, windowMs: DAY_MS };
  return [
    { key: `reputation:${own}`, limit: ADDRESS_PER_MINUTE, windowMs: MINUTE_MS },
    network === null ? day : { ...day, within },
  ];
}

function refusal(code: CheckLimit['code'], allowance: Allowance): ApiError {
  if (code === 'RATE_LIMIT_EXCEEDED') return limitReached(code, allowance);
  const message = `1 is needed, and none of ${allowance.limit} is left this month`;
  return limitReached(code, allowance, { reputation_checks: [{ code: 'refused', message }] });
}
