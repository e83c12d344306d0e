import { type Filter, parseFilter } from './filters.js';
import { isVariable, type VariableName } from './variables.js';

// template    = { text | placeholder }
// placeholder = "{{" name { "|" filter } "}}"
// There are no loops, conditions or includes, and no text of an owner is ever run. Time is linear in the length.

const MAX_ERRORS = 20;
const MAX_FILTERS = 5;

/** Part of a template: text as it is, or a variable with its filters. */
export type Part =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'value'; readonly name: VariableName; readonly filters: readonly Filter[] };

/** Error in a template, and the position of its placeholder. Line and column begin at 1. */
export interface TemplateError {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A template, parsed; or its errors, at most 20 of them. */
export type ParsedTemplate =
  | { readonly ok: true; readonly parts: readonly Part[] }
  | { readonly ok: false; readonly errors: readonly TemplateError[] };

/** Parses a template of text. */
export function parseTemplate(template: string): ParsedTemplate {
  const parts: Part[] = [];
  const errors: TemplateError[] = [];
  const places = new Places(template);
  let position = 0;
  while (position < template.length && errors.length < MAX_ERRORS) {
    const open = template.indexOf('{{', position);
    if (open === -1) break;
    if (open > position) parts.push({ kind: 'text', text: template.slice(position, open) });
    const close = template.indexOf('}}', open + 2);
    if (close === -1) {
      errors.push({ ...places.at(open), message: 'has no closing }}' });
      position = template.length;
      break;
    }
    const part = parsePlaceholder(template.slice(open + 2, close));
    if (typeof part === 'string') errors.push({ ...places.at(open), message: part });
    else parts.push(part);
    position = close + 2;
  }
  if (errors.length > 0) return { ok: false, errors };
  if (position < template.length) parts.push({ kind: 'text', text: template.slice(position) });
  return { ok: true, parts };
}

/** A placeholder without its braces; a string is an error. */
function parsePlaceholder(text: string): Part | string {
  const [first = '', ...rest] = text.split('|').map((piece) => piece.trim());
  if (!isVariable(first)) return `has the unknown variable ${quoted(first)}`;
  if (rest.length > MAX_FILTERS) return `has more than ${MAX_FILTERS} filters`;
  const filters: Filter[] = [];
  for (const written of rest) {
    const filter = parseFilter(written);
    if (filter === null) return `has the unknown filter ${quoted(written)}`;
    filters.push(filter);
  }
  return { kind: 'value', name: first, filters };
}

function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

/** Lines and columns of positions that rise. */
class Places {
  #line = 1;
  #lineStart = 0;
  #seen = 0;

  constructor(private readonly text: string) {}

  at(position: number): { readonly line: number; readonly column: number } {
    for (let next = this.text.indexOf('\n', this.#seen); next !== -1 && next < position; ) {
      this.#line += 1;
      this.#lineStart = next + 1;
      next = this.text.indexOf('\n', next + 1);
    }
    this.#seen = position;
    return { line: this.#line, column: position - this.#lineStart + 1 };
  }
}
