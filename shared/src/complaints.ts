import type { FieldError } from './field-errors.js';
import { idPattern, idPrefixes } from './ids.js';
import { nearestOf } from './nearest.js';

/** Mistake that the schema compiler found. */
interface Mistake {
  readonly keyword: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message?: string | undefined;
  readonly data?: unknown;
  readonly parentSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** Complaint about a value that a schema refuses: what is allowed in its place. */
export function complaintOf(error: Mistake): FieldError {
  const { params } = error;
  const limit = Number(params['limit']);
  switch (error.keyword) {
    case 'required':
      return { code: 'required', message: 'is required' };
    case 'type':
      return { code: 'type', message: `must be ${typeInWords(params['type'])}` };
    case 'enum':
      return { code: 'enum', message: enumInWords(error.data, params['allowedValues'] as unknown[]) };
    case 'const':
      return { code: 'enum', message: `must be ${String(params['allowedValue'])}` };
    case 'minimum':
      return { code: 'range', message: `must be at least ${limit}` };
    case 'maximum':
      return { code: 'range', message: `must be at most ${limit}` };
    case 'exclusiveMinimum':
      return { code: 'range', message: `must be more than ${limit}` };
    case 'exclusiveMaximum':
      return { code: 'range', message: `must be less than ${limit}` };
    case 'multipleOf':
      return { code: 'range', message: `must be a multiple of ${String(params['multipleOf'])}` };
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      if (error.keyword === 'minLength' && limit === 1) return { code: 'length', message: 'must not be empty' };
      return { code: 'length', message: `must have at least ${counted(limit, error.keyword)}` };
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return { code: 'length', message: `must have at most ${counted(limit, error.keyword)}` };
    case 'uniqueItems':
      return { code: 'conflict', message: 'must not repeat an entry' };
    case 'format':
      return { code: 'format', message: formatInWords(String(params['format'])) };
    case 'pattern':
      return { code: 'format', message: `${patternInWords(String(params['pattern']))}${exampleOf(error)}` };
    default:
      return { code: 'format', message: error.message ?? 'has the wrong form' };
  }
}

/** Complaint about a field that no schema of its object has: the nearest one, and all there are. */
export function unknownField(name: string, places: readonly unknown[]): FieldError {
  const known = new Set<string>();
  const inner = new Map<string, string>();
  for (const place of places) {
    for (const [field, schema] of Object.entries(propertiesOf(place))) {
      known.add(field);
      for (const child of Object.keys(propertiesOf(schema))) inner.set(child, `${field}.${child}`);
    }
  }
  return { code: 'unknown', message: `is not a known field${alternatives(name, [...known], inner)}` };
}

/** Continuation of a complaint about an unknown word: the nearest known one, and all of them. */
export function alternatives(
  word: string,
  known: readonly string[],
  elsewhere: ReadonlyMap<string, string> = new Map(),
): string {
  if (known.length === 0) return ': none is known here';
  const meant = elsewhere.get(word) ?? nearestOf(word, known);
  return `${meant === null ? ';' : `, did you mean "${meant}"?`} known: ${known.join(', ')}`;
}

function propertiesOf(schema: unknown): Record<string, unknown> {
  const { properties } = Object(schema) as { properties?: unknown };
  return typeof properties === 'object' && properties !== null ? (properties as Record<string, unknown>) : {};
}

function typeInWords(type: unknown): string {
  const names = Array.isArray(type) ? type.map(String) : String(type).split(',');
  return names.join(' or ');
}

function enumInWords(value: unknown, allowed: readonly unknown[]): string {
  const words = allowed.filter((one) => one !== '').map(String);
  const list = words.length === 1 ? String(words[0]) : `one of ${words.join(', ')}`;
  const meant = typeof value === 'string' && !words.includes(value) ? nearestOf(value, words) : null;
  const hint = meant === null || words.length === 1 ? '' : `; did you mean "${meant}"?`;
  return `must be ${allowed.includes('') ? 'empty or ' : ''}${list}${hint}`;
}

const units = { Length: ['character', 'characters'], Items: ['entry', 'entries'], Properties: ['field', 'fields'] };

function counted(limit: number, keyword: string): string {
  const [one, many] = units[keyword.slice(3) as keyof typeof units];
  return `${limit} ${limit === 1 ? one : many}`;
}

const formats: Readonly<Record<string, string>> = {
  'date-time': 'must be a date and time with a zone, for example 2026-01-31T12:00:00Z',
  date: 'must be a date, for example 2026-01-31',
  email: 'must be an e-mail address, for example me@example.com',
  uri: 'must be a URL, for example https://example.com/',
};

function formatInWords(format: string): string {
  return formats[format] ?? `must have the format "${format}"`;
}

/** Patterns of places, in either letter case. */
export const placePatterns = { country: '^[A-Za-z]{2}$', province: '^[A-Za-z]{2}-[A-Za-z0-9]{1,3}$' } as const;

/** Complaints about places that do not exist or are written otherwise. */
export const placeComplaints = {
  country: 'must be an ISO 3166-1 code of two letters',
  province: 'must be an ISO 3166-2 code',
} as const;

const patterns: ReadonlyMap<string, string> = new Map([
  ['\\S', 'must not be blank'],
  [placePatterns.country, placeComplaints.country],
  [placePatterns.province, placeComplaints.province],
]);

/** A pattern alone shows few people what to write. */
function patternInWords(pattern: string): string {
  const words = patterns.get(pattern);
  if (words !== undefined) return words;
  const prefix = Object.values(idPrefixes).find((one) => pattern === idPattern(one));
  if (prefix !== undefined) return `must be an id: ${prefix} and 22 letters and digits`;
  return `must match pattern "${pattern}"`;
}

function exampleOf({ parentSchema }: Mistake): string {
  const { example = Object(parentSchema?.['examples'])[0] } = parentSchema ?? {};
  return typeof example === 'string' ? `, for example ${JSON.stringify(example)}` : '';
}
