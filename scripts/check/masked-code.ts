// Source text with comments or literals blanked out, so that a rule that looks for `process.env` does not find it in a
// sentence. Length and line breaks stay. Not a parser: it recognises comments, the three kinds of quotes, `${}` in
// templates, and regular expressions by the preceding text.

/** A piece of source text; the pieces in order are the whole text. A literal's quotes and slashes are code. */
interface Piece {
  readonly kind: 'code' | 'comment' | 'literal';
  readonly text: string;
}

/** A slash after one of these begins a regular expression, after anything else it divides. */
const beforeRegExp = /(?:^|[([{,;=:!&|?+\-*%<>~^}\n]|\b(?:return|typeof|case|in|of|do|else|void|await|yield))\s*$/;
const patterns = {
  comment: /\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)/y,
  quoted: /'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"/y,
  templatePart: /(?:\\[^]|\$(?!\{)|[^`\\$])*/y,
  regExp: /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y,
  plain: /[^/'"`{}]+|[^]/y,
};

/** Blanks comments and the contents of strings, templates and regular expressions. */
export function maskCode(text: string): string {
  return mask(text, ['comment', 'literal']);
}

/** Blanks the contents of strings, templates and regular expressions alone. */
export function maskLiterals(text: string): string {
  return mask(text, ['literal']);
}

/** Line number, from 1, of an offset in a text. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function mask(text: string, kinds: readonly Piece['kind'][]): string {
  return [...split(text)]
    .map((piece) => (kinds.includes(piece.kind) ? piece.text.replace(/[^\n]/g, ' ') : piece.text))
    .join('');
}

function* split(text: string): Generator<Piece> {
  let offset = 0;
  /** Code just before the offset, comments left out: it decides what a slash means. */
  let before = '';
  /** Number of open braces at each `${` that is still open. */
  const templates: number[] = [];
  let braces = 0;
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = offset;
    const taken = pattern.exec(text)?.[0] ?? '';
    offset += taken.length;
    return taken;
  };
  while (offset < text.length) {
    const comment = take(patterns.comment);
    if (comment !== '') {
      yield { kind: 'comment', text: comment };
      continue;
    }
    const literal =
      take(patterns.quoted) || (text.charAt(offset) === '/' && beforeRegExp.test(before) ? take(patterns.regExp) : '');
    if (literal !== '') {
      yield { kind: 'code', text: literal.charAt(0) };
      yield { kind: 'literal', text: literal.slice(1, -1) };
      yield { kind: 'code', text: literal.slice(-1) };
      before = literal.slice(-1);
      continue;
    }
    const code = take(patterns.plain);
    yield { kind: 'code', text: code };
    before = (before + code).slice(-40);
    const isTemplateResumed = code === '}' && templates.at(-1) === braces;
    if (isTemplateResumed) templates.pop();
    else braces += code === '{' ? 1 : code === '}' ? -1 : 0;
    if (code !== '`' && !isTemplateResumed) continue;
    yield { kind: 'literal', text: take(patterns.templatePart) };
    const isValue = text.startsWith('${', offset);
    const end = text.slice(offset, offset + (isValue ? 2 : 1));
    offset += end.length;
    yield { kind: 'code', text: end };
    before = end;
    if (isValue) templates.push(braces);
  }
}
