import type { Finding } from './check.js';
import { findLogMessages } from './log-lines.js';
import { lineAt, maskCode, maskLiterals } from './masked-code.js';
import type { SourceFile } from './source-files.js';
import type { WordLists } from './word-lists.js';

/** Findings in a source file: docstrings and log messages that begin wrongly, words in titles and names, and phrases of the word list. */
export function judgeSource(file: SourceFile, words: WordLists): Finding[] {
  return [judgeDocstrings, judgeLogMessages, judgeTitles, judgeNames, judgePhrases].flatMap((judge) =>
    judge(file, words),
  );
}

/** Docstrings that begin with a word that cannot begin a phrase that stands alone. */
function judgeDocstrings({ path, text }: SourceFile, { docstringOpenings }: WordLists): Finding[] {
  const opening = new RegExp(`/\\*\\*\\s+(?:\\*\\s+)?(${anyOf(docstringOpenings)})(?![\\w’'-])`, 'g');
  return [...maskLiterals(text).matchAll(opening)].map(
    ({ index, 1: word }) =>
      `${path}:${lineAt(text, index)}: docstring begins with "${word}": write a phrase that stands alone (docs/style.md)`,
  );
}

function judgeLogMessages(file: SourceFile, { logOpenings }: WordLists): Finding[] {
  if (/\.test\.ts$|\/_support\//.test(file.path)) return [];
  const opening = new RegExp(`^(${anyOf(logOpenings)})\\b`, 'i');
  const messages = (['warnings', 'infos'] as const).flatMap((levels) => findLogMessages(file, levels));
  return messages.flatMap((message) => {
    const word = opening.exec(message)?.[1];
    if (word !== undefined) return [`${file.path}: log message "${message}" begins with "${word}" (docs/style.md)`];
    return message.endsWith('.') ? [`${file.path}: log message "${message}" ends with a period (docs/style.md)`] : [];
  });
}

/** Titles of tests that have a refused word. */
function judgeTitles({ path, text }: SourceFile, { titleWords }: WordLists): Finding[] {
  if (!path.endsWith('.test.ts')) return [];
  const refused = new RegExp(`\\b(${anyOf(titleWords)})\\b`, 'i');
  return [...text.matchAll(/\bt\.test\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g)].flatMap(({ index, 2: title = '' }) => {
    const word = refused.exec(title)?.[1];
    return word === undefined
      ? []
      : [`${path}:${lineAt(text, index)}: title has "${word}": docs/style.md says what to write`];
  });
}

/** Names of code and of the file that have a refused word as one of their words; quoted keys are not names of ours. */
function judgeNames({ path, text }: SourceFile, { nameWords, storedNames }: WordLists): Finding[] {
  const refused = new Set(nameWords);
  const wordOf = (name: string) => wordsOf(name).find((word) => refused.has(word));
  const names = [...maskCode(text).matchAll(/[A-Za-z_$][\w$]*/g)].filter(({ 0: name }) => !storedNames.includes(name));
  const found = [
    ...names.map(({ index, 0: name }) => ({ name, line: lineAt(text, index), word: wordOf(name) })),
    { name: path, line: 1, word: wordOf(path) },
  ];
  return found.flatMap(({ name, line, word }) =>
    word === undefined ? [] : [`${path}:${line}: name ${name} has "${word}": docs/style.md says what to write`],
  );
}

/** `toldAtMs` and `TOLD_AT_MS` are told, at, ms. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
}

/** Phrases of the word list, also across line breaks and comment marks, in any letter case. */
export function judgePhrases({ path, text }: SourceFile, { phrases }: WordLists): Finding[] {
  const phrase = new RegExp(`\\b(?:${phrases.map(overLines).join('|')})\\b`, 'gi');
  return [...text.matchAll(phrase)].map(
    ({ index, 0: found }) =>
      `${path}:${lineAt(text, index)}: says "${found.replace(/[\s*/]+/g, ' ')}": docs/style.md says what to write instead`,
  );
}

function anyOf(words: readonly string[]): string {
  return words.map(escapeRegExp).join('|');
}

function overLines(phrase: string): string {
  return phrase.split(' ').map(escapeRegExp).join('\\s+(?:(?:\\*|//)\\s+)?');
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
