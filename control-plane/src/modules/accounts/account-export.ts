import type { Clock } from '@vantage/shared/clock.js';
import type { Static } from 'typebox';
import { limitReached } from '../../http/errors.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { type Export, personalOwner } from '../../owners/index.js';
import type { FactorsSchema } from './factors/schema.js';
import type { SecondFactor } from './factors/second-factor.js';
import type { Profile } from './profile/profile.js';
import type { SessionSchema } from './profile/schema.js';
import { sessionView } from './sessions/session-view.js';
import type { Sessions } from './sessions/sessions.js';
import type { Users } from './users.js';

const EXPORTS_PER_DAY = 5;
const DAY_MS = 86_400_000;

/** Headers with which a browser keeps an export as a file. */
export const exportHeaders = { 'Content-Disposition': 'attachment; filename="vantage-account.json"' };

interface AccountExportOptions {
  readonly clock: Clock;
  readonly users: Users;
  readonly secondFactor: SecondFactor;
  readonly sessions: Sessions;
  readonly limiter: RateLimiter;
  readonly exportHoldings: Export;
}

/** Everything that an account has, and the fields of the modules. */
export interface ExportedAccount extends Readonly<Record<string, unknown>> {
  readonly exported_at: string;
  readonly profile: Profile;
  readonly factors: Static<typeof FactorsSchema>;
  readonly sessions: Static<typeof SessionSchema>[];
}

/** Exports accounts for their owners: all that is stored, without secrets and measurements. */
export class AccountExport {
  constructor(private readonly options: AccountExportOptions) {}

  /** @throws ApiError RATE_LIMIT_EXCEEDED after five in a day, ACCOUNT_NOT_FOUND */
  async read(userId: string, sessionId: string): Promise<ExportedAccount> {
    const { clock, users, secondFactor, sessions, limiter, exportHoldings } = this.options;
    const limit = { key: `account-export:${userId}`, limit: EXPORTS_PER_DAY, windowMs: DAY_MS };
    const allowance = await limiter.consume(limit);
    if (!allowance.isAllowed) throw limitReached('RATE_LIMIT_EXCEEDED', allowance);
    return {
      exported_at: new Date(clock.now()).toISOString(),
      profile: await users.getProfile(userId),
      factors: await secondFactor.list(userId),
      sessions: (await sessions.list(userId)).map((row) => sessionView(row, sessionId)),
      ...(await exportHoldings(personalOwner(userId))),
    };
  }
}
