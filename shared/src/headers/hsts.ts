/** Meaning of a Strict-Transport-Security header. */
export interface Hsts {
  /** Seconds. 0 removes the site from the list of the browser. */
  readonly maxAge: number;
  readonly includesSubdomains: boolean;
  readonly preload: boolean;
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const quotedString = /^"((?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*)"$/;

/**
 * Reads one Strict-Transport-Security header (RFC 6797 section 6.1); null for one that browsers must ignore: without
 * max-age, with a directive twice, or not of the grammar. Unknown directives are ignored.
 */
export function parseHsts(value: string): Hsts | null {
  const directives = new Map<string, string | null>();
  for (const part of splitDirectives(value)) {
    const text = withoutBlanks(part);
    if (text === '') continue;
    const directive = readDirective(text);
    if (directive === null || directives.has(directive.name)) return null;
    directives.set(directive.name, directive.value);
  }
  const maxAge = directives.get('max-age') ?? '';
  if (!/^\d+$/.test(maxAge)) return null;
  if ((directives.get('includesubdomains') ?? null) !== null) return null;
  return {
    maxAge: Math.min(Number(maxAge), Number.MAX_SAFE_INTEGER),
    includesSubdomains: directives.has('includesubdomains'),
    preload: directives.has('preload'),
  };
}

/** Parts between semicolons that are not inside a quoted string; one pass, because the server chooses the text. */
function splitDirectives(value: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < value.length; at += 1) {
    const character = value[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (character === ';' && !isQuoted) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(value.slice(start));
  return parts;
}

/** Without blanks and tabs around it. */
function withoutBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text[start])) start += 1;
  while (end > start && isBlank(text[end - 1])) end -= 1;
  return text.slice(start, end);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t';
}

function readDirective(text: string): { name: string; value: string | null } | null {
  const equals = text.indexOf('=');
  const name = withoutBlanks(equals < 0 ? text : text.slice(0, equals));
  if (!token.test(name)) return null;
  if (equals < 0) return { name: name.toLowerCase(), value: null };
  const written = withoutBlanks(text.slice(equals + 1));
  const quoted = quotedString.exec(written);
  if (quoted === null && !token.test(written)) return null;
  return { name: name.toLowerCase(), value: quoted === null ? written : (quoted[1] ?? '').replace(/\\(.)/gs, '$1') };
}
