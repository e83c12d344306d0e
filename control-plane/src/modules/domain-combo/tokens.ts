import { Slices } from '../../runtime/slices.js';
import { englishWords } from './words/english.js';
import { pinyinSyllables } from './words/pinyin.js';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyz'];
const VOWELS = [...'aeiou'];

/** Variants of each kind of slot that is a list of tokens. API specification 2.7. */
export const variantNames = {
  number: ['single', 'double', 'triple'],
  letter: ['single', 'double', 'vowel', 'consonant'],
  word: ['pinyin', 'pinyin2', 'english'],
} as const;

/** A kind of slot that is a list of tokens. */
export type TokenKind = keyof typeof variantNames;

type Variant = { [K in TokenKind]: `${K} ${(typeof variantNames)[K][number]}` }[TokenKind];
type ReadTokens = (signal: AbortSignal) => readonly string[] | Promise<readonly string[]>;

const readers: Readonly<Record<Variant, ReadTokens>> = {
  'number single': () => numbers(1),
  'number double': () => numbers(2),
  'number triple': () => numbers(3),
  'letter single': () => LETTERS,
  'letter double': () => LETTERS.flatMap((first) => LETTERS.map((second) => first + second)),
  'letter vowel': () => VOWELS,
  'letter consonant': () => LETTERS.filter((letter) => !VOWELS.includes(letter)),
  'word pinyin': () => syllables(),
  'word pinyin2': (signal) => pairsOfSyllables(signal),
  'word english': () => listed(englishWords),
};

/** Steps of one token of a list, as `Slices` counts them. */
const STEPS_PER_TOKEN = 0.3;

/**
 * Tokens of a variant in code-point order, each once; null when the kind has no such variant.
 * @param signal aborts the work; the promise then rejects with its reason
 */
export async function tokensOf(
  kind: TokenKind,
  variant: string,
  signal: AbortSignal,
): Promise<readonly string[] | null> {
  const name = `${kind} ${variant}`;
  return Object.hasOwn(readers, name) ? readers[name as Variant](signal) : null;
}

/** Tokens without any of these characters; case is ignored. */
export async function withoutCharacters(
  tokens: readonly string[],
  excluded: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const characters = new Set(excluded.toLowerCase());
  if (characters.size === 0) return tokens;
  const slices = new Slices(signal);
  const left: string[] = [];
  for (const token of tokens) {
    if (![...token.toLowerCase()].some((character) => characters.has(character))) left.push(token);
    await slices.spend(STEPS_PER_TOKEN);
  }
  return left;
}

function numbers(digits: number): string[] {
  return Array.from({ length: 10 ** digits }, (_, number) => String(number).padStart(digits, '0'));
}

function listed(text: string): string[] {
  return text.trim().split(/\s+/);
}

function syllables(): string[] {
  return listed(pinyinSyllables);
}

let pairs: readonly string[] | null = null;

/** Pairs of syllables, 160 000 in all: created at the first request, and kept. */
async function pairsOfSyllables(signal: AbortSignal): Promise<readonly string[]> {
  if (pairs !== null) return pairs;
  const slices = new Slices(signal);
  const all = syllables();
  const made: string[] = [];
  // pairs are sorted letter by letter, so that sorting yields to other work in between
  for (const letter of LETTERS) {
    const own = all.filter((syllable) => syllable.startsWith(letter));
    const combined = new Set(own.flatMap((first) => all.map((second) => first + second)));
    made.push(...[...combined].sort());
    await slices.spend(combined.size);
  }
  pairs = made;
  return made;
}
