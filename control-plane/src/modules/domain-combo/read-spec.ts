import { compileSchema, type FieldErrors } from '@vantage/shared/validation.js';
import type { Static } from 'typebox';
import { ApiError, fieldError } from '../../http/errors.js';
import { parseTld } from './preview.js';
import { DomainComboSpecSchema } from './schema.js';
import { type TokenKind, tokensOf, variantNames, withoutCharacters } from './tokens.js';

/** Parts that are combined into domains, as a caller sends them. */
export type DomainComboSpec = Static<typeof DomainComboSpecSchema>;

/** Lists of tokens, one for each slot, and top-level domains in Punycode. */
export interface Combination {
  readonly lists: readonly (readonly string[])[];
  readonly tlds: readonly string[];
}

const check = compileSchema(DomainComboSpecSchema);

/** Reads a specification from the text of a query parameter. @throws ApiError VALIDATION_FAILED with paths below `spec` */
export function parseSpec(text: string): DomainComboSpec {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fieldError('spec', 'format', 'must be well-formed JSON');
  }
  const checked = check(value);
  if (checked.ok) return checked.value;
  const details = Object.entries(checked.details).map(([path, errors]) => [
    path === '' ? 'spec' : `spec.${path}`,
    errors,
  ]);
  throw new ApiError('VALIDATION_FAILED', { details: Object.fromEntries(details) });
}

/**
 * Expands a specification into lists of tokens; `prefix` precedes the paths of its fields.
 * @throws ApiError VALIDATION_FAILED with every wrong field
 */
export async function readSpec(
  spec: DomainComboSpec,
  signal: AbortSignal,
  prefix: '' | 'spec.' = '',
): Promise<Combination> {
  const details: FieldErrors = {};
  const lists: (readonly string[])[] = [];
  const known = new Map<string, readonly string[]>();
  for (const [index, slot] of spec.slots.entries()) {
    const key = JSON.stringify(slot);
    const tokens = known.get(key) ?? (await slotTokens(slot, `${prefix}slots.${index}`, details, signal));
    const left = known.has(key) ? tokens : await withoutCharacters(tokens, spec.exclude ?? '', signal);
    known.set(key, left);
    lists.push(left);
  }
  const tlds = spec.tlds.map((text, index) => {
    const tld = parseTld(text);
    if (tld === null)
      details[`${prefix}tlds.${index}`] = [{ code: 'format', message: 'must be a domain without a dot at its edges' }];
    return tld ?? '';
  });
  if (Object.keys(details).length > 0) throw new ApiError('VALIDATION_FAILED', { details });
  return { lists, tlds };
}

async function slotTokens(
  { kind, variant, literal }: DomainComboSpec['slots'][number],
  path: string,
  details: FieldErrors,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (kind === 'literal') {
    if (literal === undefined)
      details[`${path}.literal`] = [{ code: 'required', message: 'is required for a literal' }];
    return [literal?.toLowerCase() ?? ''];
  }
  const names = variantNames[kind as TokenKind].join(', ');
  if (variant === undefined) {
    details[`${path}.variant`] = [{ code: 'required', message: `is required: ${names}` }];
    return [];
  }
  const tokens = await tokensOf(kind as TokenKind, variant, signal);
  if (tokens === null) details[`${path}.variant`] = [{ code: 'enum', message: `must be one of ${names}` }];
  return tokens ?? [];
}
