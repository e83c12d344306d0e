import { alternatives } from '@vantage/shared/complaints.js';
import { monitorTypeWords, parseTypeName } from '@vantage/shared/monitor-types/type-names.js';
import type { Static } from 'typebox';
import { fieldError } from '../../../http/errors.js';
import { type AlertGroup, type Grouping, groupValue } from './alert-group.js';
import type { AlertGroupChange, AlertGroupSchema } from './alert-group-schema.js';

/** Columns of a group that its owner decides. */
export interface AlertGroupFields {
  readonly name: string;
  readonly group_by: Grouping;
  readonly group_value: string;
  readonly wait_seconds: number;
  readonly interval_seconds: number;
}

/** Stored group. */
export interface AlertGroupRow extends AlertGroupFields {
  readonly id: string;
  readonly owner_id: string;
  readonly created_by: string;
  readonly is_test: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Fields of a new group before the request is applied. */
export const blankGroup = { wait_seconds: 30, interval_seconds: 300 };

/** Fields of a group after `body` was applied to the previous ones. @throws ApiError VALIDATION_FAILED */
export function groupFieldsOf(body: AlertGroupChange, before: AlertGroupFields): AlertGroupFields {
  const groupBy = body.group_by ?? before.group_by;
  return {
    name: (body.name ?? before.name).trim(),
    group_by: groupBy,
    group_value: valueOf(groupBy, body.group_value ?? before.group_value),
    wait_seconds: body.wait_seconds ?? before.wait_seconds,
    interval_seconds: body.interval_seconds ?? before.interval_seconds,
  };
}

/** Value as monitors have it: tags are in lower case, and types have one name. */
function valueOf(groupBy: Grouping, given: string): string {
  const value = given.trim();
  if (groupBy === 'monitor_prefix') return value;
  if (groupBy === 'tag') return value.toLowerCase();
  const type = parseTypeName(value);
  if (type === null)
    throw fieldError('group_value', 'enum', `no such type of monitor${alternatives(value, monitorTypeWords)}`);
  return type;
}

/** A group as decisions read it. */
export function groupIn(row: AlertGroupRow): AlertGroup {
  return {
    id: row.id,
    name: row.name,
    isTest: row.is_test,
    by: row.group_by,
    value: groupValue(row.group_by, row.group_value),
    waitMs: row.wait_seconds * 1_000,
    intervalMs: row.interval_seconds * 1_000,
    createdAtMs: row.created_at.getTime(),
  };
}

/** A group as the API shows it. */
export function groupView(row: AlertGroupRow): Static<typeof AlertGroupSchema> {
  return {
    id: row.id,
    user_id: row.owner_id,
    is_test: row.is_test,
    name: row.name,
    group_by: row.group_by,
    group_value: row.group_value,
    wait_seconds: row.wait_seconds,
    interval_seconds: row.interval_seconds,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
