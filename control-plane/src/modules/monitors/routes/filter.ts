import { monitorTypeWords, parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import { type Static, Type } from 'typebox';
import { healths, monitorStatuses } from '../definition/schema.js';
import type { MonitorFilter } from '../definition/store.js';

/** Filters of lists of monitors; joined by AND. */
export const filterQuery = {
  type: Type.Optional(
    Type.Enum([...monitorTypeWords], { type: 'string', description: 'Monitors of this type, by any of its names.' }),
  ),
  status: Type.Optional(
    Type.Enum([...monitorStatuses], { type: 'string', description: 'Monitors with this configured status.' }),
  ),
  current_status: Type.Optional(Type.Enum([...healths], { type: 'string', description: 'Monitors with this health.' })),
  group_id: Type.Optional(Type.String({ maxLength: 64, description: 'Monitors of this group.' })),
  tag: Type.Optional(Type.String({ maxLength: 64, description: 'Monitors with this tag.' })),
  q: Type.Optional(Type.String({ maxLength: 200, description: 'Monitors with this text in their name or target.' })),
};
const FilterQuery = Type.Object(filterQuery);

/** The filter in a query, which may have other parameters too. */
export function filterOf({
  type,
  status,
  current_status,
  group_id,
  tag,
  q,
}: Static<typeof FilterQuery>): MonitorFilter {
  return { type: canonicalOf(type), status, current_status, group_id, tag, q };
}

/** The name that monitors are stored under. */
function canonicalOf(type: string | undefined): string | undefined {
  return type === undefined ? undefined : (parseTypeName(type) ?? type);
}
