import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import type { AuditAction } from '../../audit-log/actions.js';
import { cursorQuery } from '../../http/cursor.js';
import { timeRangeQuery } from '../../http/time-range.js';

/** Kinds of actors, from the point of view of the account that owns the log. */
const actorKinds = ['self', 'anonymous', 'administrator', 'operator', 'system'] as const;

/** Actor of an entry, as far as the reader may know. */
const AuditActor = Type.Object(
  {
    kind: Type.Enum([...actorKinds], {
      type: 'string',
      description:
        'self: the account itself. anonymous: a request without credentials. administrator: another account. ' +
        'operator: the command line of the server. system: the server by itself.',
    }),
    user_id: nullable(Type.String(), 'Id of the user. Null for administrators, unless the reader is an administrator.'),
    credential_id: nullable(Type.String(), 'Id of the key, token or session that was used.'),
    address: nullable(Type.String(), 'IP address that the request came from.'),
  },
  { additionalProperties: false },
);

/** Creates the schemas of the log's operations. `actions`: the acts of all modules. */
export function auditSchemas(actions: readonly AuditAction[]) {
  const action = Type.Enum([...actions], { type: 'string', title: 'AuditAction' });
  const query = Type.Object({ ...cursorQuery, ...timeRangeQuery, action: Type.Optional(action) });
  return {
    /** Query for the entries of one account or node. */
    query,
    /** Query for the entries of all accounts. */
    adminQuery: Type.Object({
      ...query.properties,
      account_id: Type.Optional(
        Type.String({ pattern: idPattern(idPrefixes.user), description: 'Only the log of this account.' }),
      ),
    }),
    /** One security-relevant act. */
    entry: Type.Object(
      {
        id: Type.String({ pattern: idPattern(idPrefixes.auditEntry) }),
        at: Type.String({ format: 'date-time' }),
        action,
        actor: AuditActor,
        account_id: nullable(
          Type.String(),
          'Account whose log has the entry; null: only the log of the administrators has it.',
        ),
        subject: Type.String({ description: 'Id of the object of the act.' }),
        details: Type.Record(Type.String(), Type.Unknown(), { description: 'Details of the act, without secrets.' }),
        request_id: nullable(Type.String(), 'Id of the request that performed the act.'),
      },
      { additionalProperties: false, title: 'AuditEntry' },
    ),
  };
}

/** Schemas of the log's operations. */
export type AuditSchemas = ReturnType<typeof auditSchemas>;
