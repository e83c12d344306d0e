// WHOIS has no format (RFC 3912): most registries write lines `Label: value`.

const MAX_LINES = 2_000;
const MAX_LINE = 300;

/** Label of a line, in lower case, and its value; the lines below an empty value belong to it. */
export interface WhoisField {
  readonly label: string;
  readonly values: readonly string[];
}

/** Lines that say something, one by one: patterns that go beyond a line take time that grows with its square. */
export function linesOf(text: string): string[] {
  return allLines(text).filter((line) => line !== '');
}

/** Paragraphs of lines that say something; comments end a paragraph. */
export function paragraphsOf(text: string): string[][] {
  const paragraphs: string[][] = [[]];
  for (const line of allLines(text)) {
    if (line === '' || /^[%#]/.test(line)) paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.filter((lines) => lines.length > 0);
}

/** Fields of lines: `Label: value`, `label....: value` and `[Label] value`. */
export function fieldsOf(lines: readonly string[]): WhoisField[] {
  const fields: { label: string; values: string[] }[] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    const [, bracketed, plain, value = ''] =
      /^(?:(?:[a-z]\. )?\[([^\]]{1,60})\]|(\p{L}(?:[\p{L}\d./()'_-]| (?! )){0,58}?)\.*\s*:(?!\/\/))\s*(.*)$/u.exec(
        line,
      ) ?? [];
    const label = (bracketed ?? plain)?.trim().toLowerCase();
    if (label === undefined) open?.push(line);
    else {
      const values = value === '' ? [] : [value];
      fields.push({ label, values });
      open = value === '' ? values : null;
    }
  }
  return fields;
}

/** Values of all fields with one of these labels, those of the first label first. */
export function valuesOf(fields: readonly WhoisField[], ...labels: readonly string[]): string[] {
  return labels.flatMap((wanted) => fields.filter(({ label }) => label === wanted).flatMap(({ values }) => values));
}

/** The first result that is not null. */
export function firstOf<T>(values: readonly string[], read: (value: string) => T | null): T | null {
  for (const value of values) {
    const found = read(value);
    if (found !== null) return found;
  }
  return null;
}

function allLines(text: string): string[] {
  return text.split('\n', MAX_LINES).map((line) => line.slice(0, MAX_LINE).trim());
}
