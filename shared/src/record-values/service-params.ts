import { addressOctets, base64Octets, type Field, numberOctets, withLength, words } from './fields.js';
import { serviceKeys } from './mnemonics.js';
import { undoEscapes } from './written-value.js';

/** Names that others write for keys that dig writes by number: RFC 9461 and RFC 9540. */
const laterKeys: Readonly<Record<number, string>> = { 7: 'dohpath', 8: 'ohttp' };

const keyCodes: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...serviceKeys, ...laterKeys }).map(([code, key]) => [key, Number(code)]),
);

/** Readers of values by key; any other key's value is a string. */
const valueReaders: Readonly<Record<number, (value: string) => Buffer>> = {
  0: (value) => Buffer.concat(ascending(value.split(',').map(keyCodeOf)).map((code) => numberOctets(code, 2))),
  1: (value) => Buffer.concat(listOf(value).map(withLength)),
  3: (value) => numberOctets(/^\d{1,5}$/.test(value) ? Number(value) : Number.NaN, 2),
  4: (value) => Buffer.concat(value.split(',').map((address) => addressOctets(address, 4))),
  5: base64Octets,
  6: (value) => Buffer.concat(value.split(',').map((address) => addressOctets(address, 6))),
};

/** Parameters of a service up to the end, in any order (RFC 9460 section 2.1). */
export const serviceParams: Field = {
  read: (value) => {
    const params = words(value)
      .map(paramOf)
      .toSorted((a, b) => a.code - b.code);
    if (params.some(({ code }, i) => code === params[i - 1]?.code)) throw new RangeError('a key is repeated');
    return Buffer.concat(
      params.flatMap(({ code, octets }) => [numberOctets(code, 2), numberOctets(octets.length, 2), octets]),
    );
  },
  fold: (data) => data.rest(),
};

function paramOf(word: string): { readonly code: number; readonly octets: Buffer } {
  const [, key = '', written] = /^([^=]*)(?:=(.*))?$/s.exec(word) ?? [];
  const code = keyCodeOf(key);
  const value = written?.replace(/^"(.*)"$/s, '$1');
  if (value === undefined || value === '') return { code, octets: Buffer.alloc(0) };
  return { code, octets: (valueReaders[code] ?? undoEscapes)(value) };
}

/** @throws RangeError for an unknown key */
function keyCodeOf(key: string): number {
  const [, digits] = /^key(\d{1,5})$/i.exec(key) ?? [];
  const code = digits === undefined ? keyCodes.get(key.toLowerCase()) : Number(digits);
  if (code === undefined) throw new RangeError('an unknown key');
  return code;
}

function ascending(codes: readonly number[]): number[] {
  return codes.toSorted((a, b) => a - b);
}

/** A list in which a comma of an entry is escaped, and then escaped again as any string is (RFC 9460 appendix A.1). */
function listOf(value: string): Buffer[] {
  const list = undoEscapes(value).toString('latin1');
  const entries = [''];
  for (const [token, escaped] of list.matchAll(/\\(.)|,|[^\\,]+/gs)) {
    if (token === ',') entries.push('');
    else entries[entries.length - 1] += escaped ?? token;
  }
  return entries.map((entry) => Buffer.from(entry, 'latin1'));
}
