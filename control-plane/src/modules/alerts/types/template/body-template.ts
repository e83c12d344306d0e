import type { BodyForm } from '../../../../config/body-form.js';
import { byteLength, longestThatFits } from '../formats/cut.js';
import { bareText, type Filling, fillTemplate, MAX_OUTPUT_BYTES } from './fill-template.js';
import { type Part, parseTemplate, type TemplateError } from './parse-template.js';
import { writeIn } from './written-values.js';

/** Greatest depth of a body given as JSON. */
const MAX_DEPTH = 32;

/** Leaf of a JSON body: text with placeholders, or a value that stays. */
type Leaf = { readonly parts: readonly Part[] } | { readonly value: string | number | boolean | null };
type Node = Leaf | { readonly list: readonly Node[] } | { readonly fields: readonly (readonly [string, Node])[] };

/** Template of the body of a request. */
export type BodyTemplate =
  | { readonly kind: 'json'; readonly root: Node }
  | { readonly kind: 'text'; readonly form: BodyForm; readonly parts: readonly Part[] };

/** Error in a body; `path` names the leaf of a JSON body: `alert.lines[0]`. */
export interface BodyError extends TemplateError {
  readonly path: string | null;
}

/** A body, parsed; or its errors. */
export type ParsedBody =
  | { readonly ok: true; readonly body: BodyTemplate }
  | { readonly ok: false; readonly errors: readonly BodyError[] };

/** Parses the template of a body: leaf by leaf if it is JSON and its form allows that, otherwise as text. */
export function parseBody(body: string, form: BodyForm): ParsedBody {
  const json = form === 'json' || form === 'text' ? parseJson(body) : undefined;
  if (json === undefined) {
    const parsed = parseTemplate(body);
    if (parsed.ok) return { ok: true, body: { kind: 'text', form, parts: parsed.parts } };
    return { ok: false, errors: parsed.errors.map((error) => ({ ...error, path: null })) };
  }
  const errors: BodyError[] = [];
  const root = parseNode(json, { path: '', depth: 0, errors });
  if (errors.length === 0 && bareBytes(root) > MAX_OUTPUT_BYTES)
    errors.push({ line: 1, column: 1, path: null, message: `is longer than ${MAX_OUTPUT_BYTES} bytes` });
  return errors.length === 0 ? { ok: true, body: { kind: 'json', root } } : { ok: false, errors: errors.slice(0, 20) };
}

/** A body with its values, each of which stays in its place by the rule of the form; what exceeds 16 KiB is cut from the values. */
export function fillBody(body: BodyTemplate, filling: Filling): string {
  if (body.kind === 'text') return fillTemplate(body.parts, { ...filling, write: writeIn[body.form] });
  const budget = { left: MAX_OUTPUT_BYTES - bareBytes(body.root) };
  return JSON.stringify(filled(body.root, (parts) => fillLeaf(parts, filling, budget)));
}

/** Text of a leaf. Its values may add to it what is left of the output, counted as it is written in JSON. */
function fillLeaf(parts: readonly Part[], filling: Filling, budget: { left: number }): string {
  const bare = bareText(parts);
  if (budget.left <= 0) return bare;
  const most = jsonBytes(bare) + budget.left;
  const whole = fillTemplate(parts, filling);
  const text = longestThatFits(whole, (cut) => jsonBytes(cut) <= most);
  budget.left = text === whole ? most - jsonBytes(text) : 0;
  return text;
}

/** Bytes of a body whose values are all empty. */
function bareBytes(root: Node): number {
  return byteLength(JSON.stringify(filled(root, (parts) => bareText(parts))));
}

function jsonBytes(text: string): number {
  return byteLength(JSON.stringify(text)) - 2;
}

function parseNode(value: unknown, at: { path: string; depth: number; errors: BodyError[] }): Node {
  const { path, depth, errors } = at;
  if (depth > MAX_DEPTH) {
    errors.push({ line: 1, column: 1, path, message: `is deeper than ${MAX_DEPTH}` });
    return { value: null };
  }
  if (typeof value === 'string') return parseLeaf(value, path, errors);
  if (Array.isArray(value))
    return {
      list: value.map((entry, index) => parseNode(entry, { path: `${path}[${index}]`, depth: depth + 1, errors })),
    };
  if (typeof value !== 'object' || value === null) return { value: value as number | boolean | null };
  const fields = Object.entries(value).map(([key, entry]) => {
    if (key.includes('{{'))
      errors.push({
        line: 1,
        column: 1,
        path: join(path, key),
        message: 'names of fields must not contain placeholders',
      });
    return [key, parseNode(entry, { path: join(path, key), depth: depth + 1, errors })] as const;
  });
  return { fields };
}

function parseLeaf(text: string, path: string, errors: BodyError[]): Leaf {
  const parsed = parseTemplate(text);
  if (parsed.ok) return { parts: parsed.parts };
  errors.push(...parsed.errors.map((error) => ({ ...error, path })));
  return { value: null };
}

function filled(node: Node, fill: (parts: readonly Part[]) => string): unknown {
  if ('parts' in node) return fill(node.parts);
  if ('list' in node) return node.list.map((entry) => filled(entry, fill));
  if ('fields' in node) return Object.fromEntries(node.fields.map(([key, entry]) => [key, filled(entry, fill)]));
  return node.value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function join(parent: string, key: string): string {
  return parent === '' ? key : `${parent}.${key}`;
}
