import type { Knex } from 'knex';
import { effectiveLimits, type PlanName, type Plans } from '../../../plans/index.js';
import { type ChannelTypes, findType } from '../types/registry.js';
import type { Usage } from './usage-store.js';
import { returnUsage, takeUsage } from './usage-store.js';

/** Message that counts toward a number of the plan. */
interface Counted {
  readonly ownerId: string;
  readonly plan: PlanName;
  /** Name of the type of channel. */
  readonly type: string;
}

/** Place that a message took in the quota of its owner. */
export interface QuotaPlace {
  /** Gives it back: nothing was sent. */
  giveBack(): Promise<void>;
}

const free: QuotaPlace = { giveBack: async () => {} };

/** Messages per month that plans allow, for types that cost the operator money. */
export class Quotas {
  constructor(private readonly options: { readonly db: Knex; readonly types: ChannelTypes; readonly plans: Plans }) {}

  /** Takes a place before an attempt; null if none is left this month. */
  async take({ ownerId, plan, type }: Counted, nowMs: number): Promise<QuotaPlace | null> {
    const { db, types, plans } = this.options;
    const quota = findType(types, type)?.quota;
    if (quota === undefined) return free;
    const most = effectiveLimits(plans, { plan })[quota];
    if (most === null) return free;
    const usage: Usage = { ownerId, quota, month: monthOf(nowMs) };
    return (await takeUsage(db, usage, most)) ? { giveBack: () => returnUsage(db, usage) } : null;
  }
}

/** First day of the month of an instant, UTC: `2026-01-01`. */
export function monthOf(nowMs: number): string {
  return `${new Date(nowMs).toISOString().slice(0, 7)}-01`;
}
