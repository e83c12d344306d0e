import { nearestOf } from '@vantage/shared/nearest.js';
import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Command } from 'commander';

// vantage dns example.com MX @9.9.9.9 from Germany, Japan
//                         └ before ─┘      └── places ──┘

/** Meaning of `--from`, and of the places after `from`. */
export const fromHelp =
  'comma-separated places: countries, regions or continents by name or code, world, cities, ISO 3166-2 codes, AS numbers, tag:NAME or node ids';

/** A word after the target has no meaning; the message says what has one. */
class WordError extends Error {
  override readonly name = 'WordError';
}

/** Reads the words after a target; a word without a meaning ends the command as a wrong argument. */
export function understood<T>(command: Command, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof WordError)) throw error;
    return command.error(`error: ${error.message}`);
  }
}

/** Target of a probe; `from` in its place means that there is none. @throws WordError */
export function targetOf(word: string): string {
  if (word.toLowerCase() === 'from') throw new WordError('the target is missing before "from"');
  return word;
}

/** Words before `from`, and the places after it, or else those of the option. @throws WordError */
export function splitPlaces(words: readonly string[], option: string | undefined) {
  const at = words.findIndex((word) => word.toLowerCase() === 'from');
  if (at === -1) return { before: words, from: option };
  const from = words.slice(at + 1).join(' ');
  if (from === '') throw new WordError('"from" needs a place, for example: from DE');
  if (option !== undefined) throw new WordError('places are given twice: leave out --from');
  return { before: words.slice(0, at), from };
}

/** Refuses words that have no meaning. @throws WordError */
export function refuseWords([word]: readonly string[]): void {
  if (word !== undefined) throw unknownWord(word);
}

function unknownWord(word: string, hint = ''): WordError {
  return new WordError(`"${word}" is not understood${hint}; for places, write: from ${word}`);
}

/** Parameters that words before `from` are: a port, for `dns` a record type and `@server`, as dig has them. @throws WordError */
export function paramsOfWords(type: ProbeType, words: readonly string[]): Readonly<Record<string, unknown>> {
  return Object.assign({}, ...words.map((word) => paramOf(type, word)));
}

interface Properties {
  readonly [param: string]: { readonly enum?: readonly string[] } | undefined;
}

function paramOf(type: ProbeType, word: string): object {
  const { properties } = definitionOf(type).Params as unknown as { readonly properties: Properties };
  if (properties['port'] !== undefined && /^\d{1,5}$/.test(word)) return { port: Number(word) };
  const types = properties['record_type']?.enum;
  if (types === undefined) throw unknownWord(word, properties['port'] === undefined ? '' : ': a port is a number');
  if (word.startsWith('@')) return { server: word.slice(1) };
  const known = types.find((one) => one === word.toUpperCase());
  if (known !== undefined) return { record_type: known };
  const meant = nearestOf(word, types);
  const hint = meant === null ? ';' : `, did you mean "${meant}"?`;
  throw new WordError(`no record type "${word}"${hint} known: ${types.join(', ')}; for places, write: from ${word}`);
}
