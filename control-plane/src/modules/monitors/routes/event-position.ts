import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { type Static, Type } from 'typebox';
import type { EventPosition, EventRow } from '../events/event-store.js';

/** Position of an event in lists, as their cursors carry it. */
export const EventPositionSchema = Type.Object(
  {
    at: Type.Integer({ minimum: 0, maximum: 8.64e15 }),
    id: Type.String({ pattern: idPattern(idPrefixes.monitorEvent) }),
  },
  { additionalProperties: false },
);

/** The position of a row for a cursor. */
export function positionOf({ started_at, id }: EventRow): Static<typeof EventPositionSchema> {
  return { at: started_at.getTime(), id };
}

/** The position that a cursor carries; null for the first page. */
export function afterOf(position: Static<typeof EventPositionSchema> | null): EventPosition | null {
  return position === null ? null : { atMs: position.at, id: position.id };
}
