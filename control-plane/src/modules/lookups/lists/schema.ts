import { nullable } from '@vantage/shared/nullable.js';
import { Type } from 'typebox';
import { listFormats } from '../reputation/list-definition.js';
import { listSignals } from '../reputation/signals.js';
import { refusals } from '../reputation/version-guard.js';

const time = (description: string) => Type.String({ format: 'date-time', description });

/** A version of a list in the API. */
export const ListVersionSchema = Type.Object(
  {
    fetched_at: time('When a replica read it.'),
    built_at: time('When its source last had it; of a file, when it was written. The age of the list counts from it.'),
    bytes: Type.Integer(),
    entries: Type.Integer({ description: 'Entries in use: those inside wider ones are not counted.' }),
    lines: Type.Integer({ description: 'Lines with an entry, readable or not.' }),
    unreadable_lines: Type.Integer(),
    refused_lines: Type.Integer({ description: 'Lines with a range that is private, reserved or too wide.' }),
    refusal: nullable(
      Type.Enum([...refusals], { type: 'string' }),
      'Reason for which it is not in use: `unreadable`, more than 1 % of its lines; `shrunk`, less than half of the entries before; `empty`. Null for a version in use.',
    ),
  },
  { additionalProperties: false, title: 'ReputationListVersion' },
);

/** A list of addresses in the API. */
export const ListSchema = Type.Object(
  {
    name: Type.String({ examples: ['tor-exits'] }),
    signal: Type.Enum([...listSignals], { type: 'string' }),
    format: Type.Enum([...listFormats], { type: 'string' }),
    source: Type.String({
      description: 'File, or URL without its query.',
      examples: ['https://lists.example/exits.txt'],
    }),
    refresh_s: Type.Integer({ description: 'Interval between two readings of the source, in seconds.' }),
    max_age_s: Type.Integer({ description: 'Age at which the list no longer counts, in seconds.' }),
    license: nullable(Type.String(), 'Licence of the list.'),
    attribution: nullable(Type.String(), 'Line that the licence asks for.'),
    is_current: Type.Boolean({ description: 'True if the list counts in scores.' }),
    version: nullable(ListVersionSchema, 'Version in use; null without one.'),
    refused_version: nullable(ListVersionSchema, 'Newer version that waits to be accepted; null: there is none.'),
    checked_at: nullable(Type.String({ format: 'date-time' }), 'When the source was last read.'),
    next_check_at: nullable(Type.String({ format: 'date-time' }), 'When the source is read next.'),
    last_error: nullable(Type.String(), 'Reason why the last reading failed; null: it did not.'),
  },
  { additionalProperties: false, title: 'ReputationList' },
);
