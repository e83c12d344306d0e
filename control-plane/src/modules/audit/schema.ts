import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { cursorQuery } from '../../http/cursor.js';
import { timeRangeQuery } from '../../http/time-range.js';
import { auditActions } from './actions.js';

const Action = Type.Enum([...auditActions], { type: 'string' });

/** Who acts, as seen from the account whose log it is. */
const actorKinds = ['self', 'anonymous', 'administrator', 'operator', 'system'] as const;

/** Somebody who acted, as far as the reader may know. */
const AuditActor = Type.Object(
  {
    kind: Type.Enum([...actorKinds], {
      type: 'string',
      description:
        'self: the account itself. anonymous: a request without credentials. administrator: another account. ' +
        'operator: the command line of the server. system: the server by itself.',
    }),
    user_id: nullable(Type.String(), 'Null for administrators unless an administrator reads.'),
    credential_id: nullable(Type.String(), 'The key, token or session that was used.'),
    address: nullable(Type.String(), 'Where the request came from.'),
  },
  { additionalProperties: false },
);

/** One security-relevant act. */
export const AuditEntrySchema = Type.Object(
  {
    id: Type.String({ pattern: idPattern(idPrefixes.auditEntry) }),
    at: Type.String({ format: 'date-time' }),
    action: Action,
    actor: AuditActor,
    account_id: nullable(Type.String(), 'Whose log it is in; null: in the administrators’ only.'),
    subject: Type.String({ description: 'Id of what was acted on.' }),
    details: Type.Record(Type.String(), Type.Unknown(), { description: 'Facts of the act; never a secret.' }),
    request_id: nullable(Type.String(), 'The request that did it.'),
  },
  { additionalProperties: false, title: 'AuditEntry' },
);

/** Which entries are read. */
export const AuditQuerySchema = Type.Object({ ...cursorQuery, ...timeRangeQuery, action: Type.Optional(Action) });

/** As `AuditQuerySchema`, of everybody's entries. */
export const AuditAdminQuerySchema = Type.Object({
  ...AuditQuerySchema.properties,
  account_id: Type.Optional(
    Type.String({ pattern: idPattern(idPrefixes.user), description: 'Only the log of this account.' }),
  ),
});
