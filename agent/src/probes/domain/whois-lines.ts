// WHOIS has no format (RFC 3912): most registries write lines `Label: value`.

const MAX_LINES = 2_000;
const MAX_LINE = 300;

/** Label of a line, and its value; the lines below an empty value belong to it. */
export interface WhoisField {
  /** In lower case; dots, hyphens, underscores and blanks are one blank. */
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

/** Marks in front of a label: `**`, `a.`, and the letter of `a [Label]`. */
const bullet = /^(?:[*•]{1,3}\s*|[a-z]\.\s+|[a-z]\s+(?=\[))/;
/** A label, and a date behind it without a colon: `Record expires on 2028-08-29`. */
const labelAndDate =
  /^(\p{L}[\p{L}\s.()'-]{0,58}?)\s+(\d{1,4}(?:[-/.]\s?\d{1,2}[-/.]|[-/. ]\p{L}{3,9}[-/. ])\s?\d{1,4}\b.*)$/u;
const labelAndValue = /^(?:\[([^\]]{1,60})\]|(\p{L}(?:[\p{L}\d./()'_-]| (?! )){0,58}?)\.*\s*:(?!\/\/))\s*(.*)$/u;

/** Fields of lines: `Label: value`, `label....: value`, `[Label] value`, and `Label 2028-08-29`. */
export function fieldsOf(lines: readonly string[]): WhoisField[] {
  const fields: { label: string; values: string[] }[] = [];
  let open: string[] | null = null;
  for (const line of lines) {
    const { label, value } = fieldOf(line.replace(bullet, ''));
    if (label === null) open?.push(line);
    else {
      const values = value === '' ? [] : [value];
      fields.push({ label: plainLabel(label), values });
      open = value === '' ? values : null;
    }
  }
  return fields;
}

function fieldOf(line: string): { readonly label: string | null; readonly value: string } {
  const [, before, date = ''] = labelAndDate.exec(line) ?? [];
  if (before !== undefined) return { label: before, value: date };
  const [, bracketed, plain, value = ''] = labelAndValue.exec(line) ?? [];
  return { label: bracketed ?? plain ?? null, value };
}

function plainLabel(text: string): string {
  return text
    .toLowerCase()
    .replace(/[\s._-]+/g, ' ')
    .trim();
}

/** Values of all fields with one of these labels, those of the first label first. */
export function valuesOf(fields: readonly WhoisField[], ...labels: readonly string[]): string[] {
  return labels.flatMap((wanted) => valuesWhere(fields, (label) => label === plainLabel(wanted)));
}

/** Values of all fields whose label is one of those meant, in their order. */
export function valuesWhere(fields: readonly WhoisField[], isMeant: (label: string) => boolean): string[] {
  return fields.filter(({ label }) => isMeant(label)).flatMap(({ values }) => values);
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
