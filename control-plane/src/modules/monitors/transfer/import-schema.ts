import { nullable } from '@vantage/shared/nullable.js';
import { fieldErrorCodes } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { importFormatNames, importModes } from '../../../import-words.js';
import { HeartbeatCreatedSchema } from '../schema.js';

const index = Type.Integer({ minimum: 0, description: 'Where it stands in the list of the file, from 0.' });
const id = nullable(Type.String(), 'Of the monitor; null in a dry run where it is not there yet.');
const known = { index, name: Type.String(), id };
const made = { ...known, heartbeat: Type.Optional(HeartbeatCreatedSchema) };

/** What became, or would become, of every entry of a file: each stands in one of the five lists. */
export const ImportReportSchema = Type.Object(
  {
    format: Type.Enum([...importFormatNames], { type: 'string' }),
    format_guessed: Type.Boolean({ description: 'It was told from the file.' }),
    mode: Type.Enum([...importModes], { type: 'string' }),
    dry_run: Type.Boolean({ description: 'Nothing was changed.' }),
    total: Type.Integer({ minimum: 0, description: 'Entries of the file.' }),
    created: Type.Array(Type.Object(made, { additionalProperties: false }), { description: 'New, under their names.' }),
    renamed: Type.Array(Type.Object({ ...made, renamed_from: Type.String() }, { additionalProperties: false }), {
      description: 'New, under other names.',
    }),
    replaced: Type.Array(Type.Object(known, { additionalProperties: false }), {
      description: 'Were there under that name, and are now as the file says, with their history.',
    }),
    skipped: Type.Array(
      Type.Object(
        { ...known, reason: Type.Enum(['name_taken'], { type: 'string' }), message: Type.String() },
        { additionalProperties: false },
      ),
      { description: 'Left as they are.' },
    ),
    failed: Type.Array(
      Type.Object(
        {
          index,
          name: nullable(Type.String(), 'Null: it has none.'),
          code: Type.String({ description: 'What a POST of it would answer.', example: 'VALIDATION_FAILED' }),
          field: nullable(Type.String(), 'As the file or the API names it; null: the whole.'),
          problem: nullable(Type.Enum([...fieldErrorCodes], { type: 'string' }), 'What is wrong with the field.'),
          message: Type.String(),
        },
        { additionalProperties: false },
      ),
      { description: 'Not imported, nothing of them.' },
    ),
    warnings: Type.Array(
      Type.Object(
        {
          field: nullable(Type.String(), 'As the file names it; null: the whole.'),
          message: Type.String(),
          indexes: Type.Array(index, { description: 'Entries it is about; empty: the file.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'What could not be carried over as it was.' },
    ),
  },
  { additionalProperties: false, title: 'MonitorImportReport' },
);
export type ImportReport = Static<typeof ImportReportSchema>;
