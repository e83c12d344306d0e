import type { Static } from 'typebox';
import type { SessionSchema } from '../profile/schema.js';
import type { SessionRow } from './session-store.js';

/** A session as its user sees it. `currentId`: session of the request. */
export function sessionView(row: SessionRow, currentId: string): Static<typeof SessionSchema> {
  const { id, kind, methods, address, user_agent, created_at, last_used_at, expires_at } = row;
  return {
    id,
    is_current: id === currentId,
    kind,
    methods,
    address,
    user_agent,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at.toISOString(),
    expires_at: expires_at.toISOString(),
  };
}
