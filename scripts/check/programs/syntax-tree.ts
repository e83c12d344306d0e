import { type Node, parseSync, visitorKeys } from 'oxc-parser';
import type { SourceFile } from '../source-files.js';
import { UNKNOWN_WORD } from './shell-commands.js';

/** Every node of a file, outer ones first. @throws Error for a file that does not parse */
export function nodesOf({ path, text }: SourceFile): Node[] {
  const { program, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  return [...descendants(program)];
}

/** Every node below one, itself first. */
export function* descendants(node: Node): Generator<Node> {
  yield node;
  for (const key of visitorKeys[node.type] ?? []) {
    const value = (node as unknown as Readonly<Record<string, unknown>>)[key];
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) yield* descendants(child);
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value;
}

/** The text of a string or template, with `UNKNOWN_WORD` for each value in it; nothing for other nodes. */
export function literalTexts(node: Node): string[] {
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  return node.type === 'TemplateLiteral' ? [node.quasis.map(({ value }) => value.cooked ?? '').join(UNKNOWN_WORD)] : [];
}

/** The name of what is called: `spawn` in `spawn(…)`, null for a method or an expression. */
export function calledName(node: Node): string | null {
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' ? node.callee.name : null;
}
