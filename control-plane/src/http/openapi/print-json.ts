import type { Json } from './openapi-components.js';

const WIDTH = 120;

/** JSON text for people, indented by two: a list or object that fits into a line of 120 characters is one line. */
export function printJson(value: Json): string {
  return print(value, '', 0);
}

/** `taken`: characters of the line before the value and after it. */
function print(value: Json, indent: string, taken: number): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const line = printLine(value);
  if (indent.length + taken + line.length <= WIDTH) return line;
  const deeper = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item: Json) => print(item, deeper, 1))
    : Object.entries(value).map(([key, child]) => {
        const name = `${JSON.stringify(key)}: `;
        return `${name}${print(child, deeper, name.length + 1)}`;
      });
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`;
}

function printLine(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(printLine).join(', ')}]`;
  const fields = Object.entries(value).map(([key, child]) => `${JSON.stringify(key)}: ${printLine(child)}`);
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
}
