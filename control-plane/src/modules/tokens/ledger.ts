import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Actor } from '../../actor.js';
import type { Authentication } from '../../authentication/index.js';
import type { ErrorCode } from '../../http/error-table.js';
import { ApiError, capReached } from '../../http/errors.js';
import { type AuditAction, insertAuditEntry } from '../audit/index.js';
import { MAX_TOKENS } from './schema.js';
import { countUsableTokens, lockOwner, type NewToken, revokeToken, type TokenTable } from './store.js';

/** What tokens of every kind are made with. */
export interface TokensOptions {
  readonly db: Knex;
  /** Sets when a token ends, and says when it has. */
  readonly clock: Clock;
  /** Hears of every revocation once it is committed. */
  readonly authentication: Pick<Authentication, 'revoked'>;
}

/** What tells the kinds apart. */
interface LedgerKind {
  readonly table: TokenTable;
  readonly created: AuditAction;
  readonly revoked: AuditAction;
  /** What asking for one that is not there is answered. */
  readonly missing: ErrorCode;
}

/** A token to store and what the audit log says of it. */
interface Issue<Row> {
  readonly token: NewToken;
  readonly actor: Actor;
  /** Plain facts, never a secret. */
  readonly facts: Readonly<Record<string, unknown>>;
  insert(trx: Knex): Promise<Row>;
}

/** The tokens of one kind: so many for each account, and no change without a line in the audit log. */
export class TokenLedger {
  constructor(
    private readonly options: TokensOptions,
    private readonly kind: LedgerKind,
  ) {}

  /** Stores a token, unless its owner has as many as there may be. @throws ApiError TOKEN_LIMIT_EXCEEDED */
  issue<Row>({ token, actor, facts, insert }: Issue<Row>): Promise<Row> {
    const { table, created } = this.kind;
    const { id, user_id: userId, created_at: now } = token;
    return this.options.db.transaction(async (trx) => {
      await lockOwner(trx, userId);
      if ((await countUsableTokens(trx, table, userId, now)) >= MAX_TOKENS) {
        throw capReached('TOKEN_LIMIT_EXCEEDED', MAX_TOKENS, now.getTime());
      }
      const row = await insert(trx);
      await insertAuditEntry(trx, { actor, accountId: userId, action: created, subject: id, details: facts });
      return row;
    });
  }

  /** Revokes a user's token (anybody's for null), everywhere at once; again it does nothing. @throws ApiError when there is none */
  async revoke(id: string, userId: string | null, actor: Actor): Promise<void> {
    const { table, revoked, missing } = this.kind;
    const now = new Date(this.options.clock.now());
    const outcome = await this.options.db.transaction(async (trx) => {
      const change = await revokeToken(trx, table, { id, userId, now });
      if (change === 'missing') throw new ApiError(missing);
      if (change !== 'already') {
        await insertAuditEntry(trx, { actor, accountId: change.userId, action: revoked, subject: id });
      }
      return change;
    });
    if (outcome !== 'already') this.options.authentication.revoked(outcome.userId);
  }
}
