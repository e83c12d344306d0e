import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import { type AuditAction } from '../../audit-log/actions.js';
import type { Actor } from '../../audit-log/actor.js';
import { happened } from '../../audit-log/happened.js';
import { type Authentication, refuseRevoked } from '../../authentication/index.js';
import { credentialChanged } from '../../events/index.js';
import type { ErrorCode } from '../../http/error-table.js';
import { ApiError } from '../../http/errors.js';
import { lockOwner } from '../../owners/index.js';
import { reserveFixed } from '../../plans/index.js';
import { MAX_TOKENS } from './schema.js';
import { countUsableTokens, type NewToken, revokeToken, type TokenTable } from './store.js';

/** Dependencies of tokens of every kind. */
export interface TokensOptions {
  readonly db: Knex;
  /** Clock that expiry is set and checked by. */
  readonly clock: Clock;
  /** Notified of every revocation after its commit. */
  readonly authentication: Pick<Authentication, 'revoked'>;
  /** Tells the holder of a new token, in the transaction that stores it. */
  readonly notify?: (
    trx: Knex,
    holderId: string,
    token: { readonly kind: CreatedAction; readonly name: string; readonly actor: Actor },
  ) => Promise<void>;
}

type CreatedAction = 'api_key.created' | 'token.created';

/** Properties of a kind of token. */
interface LedgerKind {
  readonly table: TokenTable;
  readonly created: CreatedAction;
  readonly revoked: AuditAction;
  /** Error for an unknown id. */
  readonly missing: ErrorCode;
}

/** A token to be stored, and the details of its entry in the audit log. */
interface Issue<Row> {
  readonly token: NewToken;
  /** Id of the holder: the owner of a key, the user of a personal access token. */
  readonly holderId: string;
  readonly actor: Actor;
  /** Details for the audit log, without secrets. */
  readonly facts: Readonly<Record<string, unknown>>;
  insert(trx: Knex): Promise<Row>;
}

/** Tokens of one kind, with a limit for each account, and an entry in the audit log for every change. */
export class TokenLedger {
  constructor(
    private readonly options: TokensOptions,
    private readonly kind: LedgerKind,
  ) {}

  /**
   * Stores a token, unless its owner has reached the limit. Only tokens of administrators may have `admin`.
   * @throws ApiError TOKEN_LIMIT_EXCEEDED, FORBIDDEN, ACCOUNT_DELETED
   */
  issue<Row>({ token, holderId, actor, facts, insert }: Issue<Row>): Promise<Row> {
    const { table, created } = this.kind;
    const { id, created_at: now } = token;
    return this.options.db.transaction(async (trx) => {
      const owner = await lockOwner(trx, { id: holderId });
      await refuseRevoked(trx, actor);
      if (token.scopes.includes('admin') && owner.role !== 'admin') throw notAnAdministrator();
      const count = () => countUsableTokens(trx, table, holderId, now);
      const cap = { field: 'token', code: 'TOKEN_LIMIT_EXCEEDED', most: MAX_TOKENS, count } as const;
      await reserveFixed(trx, owner, cap, now.getTime());
      const row = await insert(trx);
      const event = credentialChanged(holderId, id, created);
      await happened(trx, { actor, accountId: holderId, action: created, subject: id, details: facts, event });
      await this.options.notify?.(trx, holderId, { kind: created, name: token.name, actor });
      return row;
    });
  }

  /**
   * Revokes a holder's token (null for any holder's) at once, on every replica; no effect on a revoked one.
   * @throws ApiError with the code `missing` of the kind
   */
  async revoke(id: string, holderId: string | null, actor: Actor): Promise<void> {
    const { table, revoked, missing } = this.kind;
    const now = new Date(this.options.clock.now());
    const outcome = await this.options.db.transaction(async (trx) => {
      const change = await revokeToken(trx, table, { id, holderId, now });
      if (change === 'missing') throw new ApiError(missing);
      if (change !== 'already') {
        const event = credentialChanged(change.holderId, id, revoked);
        await happened(trx, { actor, accountId: change.holderId, action: revoked, subject: id, event });
      }
      return change;
    });
    if (outcome !== 'already') this.options.authentication.revoked(outcome.holderId);
  }
}

function notAnAdministrator(): ApiError {
  const message = '"admin" is only for administrators, and the owner of the token is not one';
  return new ApiError('FORBIDDEN', { details: { scopes: [{ code: 'refused', message }] } });
}
