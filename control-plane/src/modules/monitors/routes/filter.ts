import { type Static, Type } from 'typebox';
import { healths, monitorStatuses } from '../schema.js';
import type { MonitorFilter } from '../store.js';

/** What lists of monitors may be narrowed to; joined by AND. */
export const filterQuery = {
  type: Type.Optional(Type.String({ maxLength: 32, description: 'Of this type.' })),
  status: Type.Optional(Type.Enum([...monitorStatuses], { type: 'string', description: 'Configured so.' })),
  current_status: Type.Optional(Type.Enum([...healths], { type: 'string', description: 'Found so.' })),
  group_id: Type.Optional(Type.String({ maxLength: 64, description: 'In this group.' })),
  tag: Type.Optional(Type.String({ maxLength: 64, description: 'With this tag.' })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'With this text in name or target.' })),
};
const FilterQuery = Type.Object(filterQuery);

/** The filter of a query, which may have more than that. */
export function filterOf({
  type,
  status,
  current_status,
  group_id,
  tag,
  q,
}: Static<typeof FilterQuery>): MonitorFilter {
  return { type, status, current_status, group_id, tag, q };
}
