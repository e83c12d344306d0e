import type { Static } from 'typebox';
import type { AuditSchemas } from './schema.js';
import type { AuditRow } from './store.js';

/** An entry as responses show it. */
export type AuditItem = Static<AuditSchemas['entry']>;

/** An entry as administrators see it. */
export function entryView(row: AuditRow): AuditItem {
  return {
    id: row.id,
    at: row.at.toISOString(),
    action: row.action,
    actor: {
      kind: actorKind(row),
      user_id: row.user_id,
      credential_id: row.credential_id,
      address: row.address,
    },
    account_id: row.account_id,
    subject: row.subject,
    details: row.details,
    request_id: row.request_id,
  };
}

/** An entry as its account sees it: administrators and operators are not named. */
export function ownEntryView(row: AuditRow): AuditItem {
  const item = entryView(row);
  const { kind } = item.actor;
  if (kind === 'self' || kind === 'anonymous') return item;
  return { ...item, actor: { kind, user_id: null, credential_id: null, address: null } };
}

function actorKind({ user_id, account_id, credential_id, address }: AuditRow): AuditItem['actor']['kind'] {
  if (user_id !== null) return user_id === account_id ? 'self' : 'administrator';
  if (address !== null) return 'anonymous';
  return credential_id === null ? 'system' : 'operator';
}
