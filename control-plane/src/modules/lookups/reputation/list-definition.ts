import { type Static, Type } from 'typebox';
import { textFormats } from './list-line.js';
import { listSignals } from './signals.js';

const DAY_S = 86_400;

export const listFormats = [...textFormats, 'mmdb'] as const;

/** One entry of the file of lists. */
const Definition = Type.Object(
  {
    name: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' }),
    signal: Type.Enum([...listSignals], { type: 'string' }),
    format: Type.Enum([...listFormats], { type: 'string' }),
    file: Type.Optional(Type.String({ minLength: 1, maxLength: 4096 })),
    url: Type.Optional(Type.String({ pattern: '^https?://', maxLength: 2048 })),
    refresh_s: Type.Optional(Type.Integer({ minimum: 300, maximum: 7 * DAY_S })),
    max_age_s: Type.Optional(Type.Integer({ minimum: 300, maximum: 365 * DAY_S })),
    license: Type.Optional(Type.String({ maxLength: 500 })),
    attribution: Type.Optional(Type.String({ maxLength: 500 })),
  },
  { additionalProperties: false },
);

/** Schema of the file of lists (VANTAGE_REPUTATION_LISTS): at most 50. */
export const ListFileSchema = Type.Array(Definition, { maxItems: 50 });

/** Definition of a list, defaults filled in. */
export interface ListDefinition extends Static<typeof Definition> {
  readonly refresh_s: number;
  readonly max_age_s: number;
}

/** Errors of a valid file that its schema cannot express; each names the list. */
export function listFileErrors(written: Static<typeof ListFileSchema>): string[] {
  const names = written.map(({ name }) => name);
  return written.flatMap(({ name, file, url, signal, format }, i) => [
    ...(names.indexOf(name) < i ? [`list "${name}" occurs twice`] : []),
    ...((file === undefined) === (url === undefined) ? [`list "${name}" needs either file or url`] : []),
    ...(format === 'tor_exit' && signal !== 'tor_exit'
      ? [`list "${name}": format tor_exit is for signal tor_exit`]
      : []),
  ]);
}

/** Lists with their defaults: exits of Tor change by the hour, others by the day. */
export function listDefinitions(written: Static<typeof ListFileSchema>): ListDefinition[] {
  return written.map((list) => {
    const isTor = list.format === 'tor_exit';
    return {
      ...list,
      refresh_s: list.refresh_s ?? (isTor ? 3600 : DAY_S),
      max_age_s: list.max_age_s ?? (isTor ? 2 : 7) * DAY_S,
    };
  });
}
