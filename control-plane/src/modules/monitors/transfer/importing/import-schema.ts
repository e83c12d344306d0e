import { nullable } from '@vantage/shared/nullable.js';
import { fieldErrorCodes } from '@vantage/shared/validation.js';
import { type Static, Type } from 'typebox';
import { importFormatNames, importModes } from '../../../../import-words.js';
import { HeartbeatCreatedSchema } from '../../definition/schema.js';

const index = Type.Integer({ minimum: 0, description: 'Position of the entry in the file, starting at 0.' });
const id = nullable(Type.String(), 'Id of the monitor; null in a dry run if the monitor does not exist yet.');
const known = { index, name: Type.String(), id };
const made = { ...known, heartbeat: Type.Optional(HeartbeatCreatedSchema) };

/** Outcome of an import or dry run: each entry of the file is in exactly one of the five lists. */
export const ImportReportSchema = Type.Object(
  {
    format: Type.Enum([...importFormatNames], { type: 'string' }),
    format_guessed: Type.Boolean({ description: 'True if the format was detected from the file.' }),
    mode: Type.Enum([...importModes], { type: 'string' }),
    dry_run: Type.Boolean({ description: 'True if nothing was changed.' }),
    total: Type.Integer({ minimum: 0, description: 'Number of entries in the file.' }),
    created: Type.Array(Type.Object(made, { additionalProperties: false }), {
      description: 'Created with the name in the file.',
    }),
    renamed: Type.Array(Type.Object({ ...made, renamed_from: Type.String() }, { additionalProperties: false }), {
      description: 'Created under another name.',
    }),
    replaced: Type.Array(Type.Object(known, { additionalProperties: false }), {
      description: 'Existing monitors with the name, which now have the settings in the file and keep their history.',
    }),
    skipped: Type.Array(
      Type.Object(
        { ...known, reason: Type.Enum(['name_taken'], { type: 'string' }), message: Type.String() },
        { additionalProperties: false },
      ),
      { description: 'Not imported because the name is in use.' },
    ),
    failed: Type.Array(
      Type.Object(
        {
          index,
          name: nullable(Type.String(), 'Name of the entry; null: none.'),
          code: Type.String({
            description: 'Error code that a POST of the monitor would return.',
            example: 'VALIDATION_FAILED',
          }),
          field: nullable(Type.String(), 'Name of the field in the file or the API; null: the entry as a whole.'),
          problem: nullable(
            Type.Enum([...fieldErrorCodes], { type: 'string' }),
            'Problem of the field; null: the error is not about a field.',
          ),
          message: Type.String(),
        },
        { additionalProperties: false },
      ),
      { description: 'Not imported, neither in whole nor in part.' },
    ),
    warnings: Type.Array(
      Type.Object(
        {
          field: nullable(Type.String(), 'Name of the field in the file; null: the entry as a whole.'),
          message: Type.String(),
          indexes: Type.Array(index, { description: 'Entries that the warning is about; empty: the file.' }),
        },
        { additionalProperties: false },
      ),
      { description: 'Settings that could not be imported unchanged.' },
    ),
  },
  { additionalProperties: false, title: 'MonitorImportReport' },
);
export type ImportReport = Static<typeof ImportReportSchema>;
