/** The lists of docs/style.md that a program can apply. */
export interface WordLists {
  /** Words that a docstring must not begin with. */
  readonly docstringOpenings: readonly string[];
  /** Words that a log message must not begin with. */
  readonly logOpenings: readonly string[];
  /** Words that the title of a test must not have. */
  readonly titleWords: readonly string[];
  /** Words that names in code and names of files must not have. */
  readonly nameWords: readonly string[];
  /** Names with such a word that stay, as they are stored. */
  readonly storedNames: readonly string[];
  /** Phrases that must appear in no sentence. */
  readonly phrases: readonly string[];
}

const headings: Readonly<Record<keyof WordLists, string>> = {
  docstringOpenings: 'Openings that docstrings must not have',
  logOpenings: 'Openings that log messages must not have',
  titleWords: 'Words that test titles must not have',
  nameWords: 'Words that names must not have',
  storedNames: 'Names that stay',
  phrases: 'Phrases that must not be used',
};

/**
 * Reads the lists from the style guide: under each heading, the words between backquotes in the first column of its
 * table. @throws Error for a list that is missing or empty
 */
export function readWordLists(markdown: string): WordLists {
  return {
    docstringOpenings: listUnder(markdown, headings.docstringOpenings),
    logOpenings: listUnder(markdown, headings.logOpenings),
    titleWords: listUnder(markdown, headings.titleWords),
    nameWords: listUnder(markdown, headings.nameWords),
    storedNames: listUnder(markdown, headings.storedNames),
    phrases: listUnder(markdown, headings.phrases),
  };
}

function listUnder(markdown: string, heading: string): string[] {
  const [, section = ''] = new RegExp(`^#+ ${heading}$([^]*?)(?=^#|(?![^]))`, 'm').exec(markdown) ?? [];
  const words = section.split('\n').flatMap((line) => {
    const [, cell = ''] = /^\|([^|]*)\|/.exec(line) ?? [];
    return [...cell.matchAll(/`([^`]+)`/g)].flatMap((match) => match[1] ?? []);
  });
  if (words.length === 0) throw new Error(`no table under "${heading}"`);
  return words;
}
