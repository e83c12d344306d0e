import { type Html, html } from '../pages/html.js';
import { type PageCell, tableHtml } from '../pages/table-html.js';
import { inlineHtml } from './markdown-html.js';

/** Schema of the document (JSON Schema 2020-12), as far as the reference shows it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** Value with a name: a parameter, or a field by its path: `nodes.countries[]`. */
export interface Field {
  readonly name: string;
  readonly schema: Schema;
  readonly isRequired?: boolean;
  readonly description?: string | undefined;
  /** Place of a parameter: `path`, `query` or `header`. */
  readonly place?: string;
}

/** Fields of an object, and of the objects in it that have no name of their own. */
export function fieldsOf(schema: Schema, path = ''): Field[] {
  const { properties = {}, required = [], anyOf = [], items } = schema;
  const own = Object.entries(properties).flatMap(([key, value]): Field[] => {
    const name = path === '' ? key : `${path}.${key}`;
    return [{ name, schema: value, isRequired: required.includes(key) }, ...fieldsOf(value, name)];
  });
  const values = valuesOf(schema);
  return unique([
    ...own,
    ...anyOf.flatMap((choice) => fieldsOf(choice, path)),
    ...(items === undefined ? [] : fieldsOf(items, `${path}[]`)),
    ...(values === null ? [] : fieldsOf(values, `${path}.*`)),
  ]);
}

/** Table of fields: required ones are marked, and a type leads to the object that it names. */
export function fieldTable(fields: readonly Field[]): Html {
  return tableHtml({
    head: ['Name', 'Type', 'Meaning'],
    rows: fields.map(({ name, schema, isRequired = false, place, description = schema.description }): PageCell[] => [
      {
        content: html`<code>${name}</code>${place !== undefined && ` in ${place}`}${isRequired && html` <b>required</b>`}`,
        look: 'name',
      },
      { content: typeHtml(schema), look: 'words' },
      { content: html`${description !== undefined && inlineHtml(description)}${usualHtml(schema)}`, look: 'words' },
    ]),
  });
}

/** Values that a schema allows, in words; an object that has a name is a link to it. */
export function typeHtml(schema: Schema): Html {
  const { $ref, anyOf, enum: words, const: word, type = 'any value', items } = schema;
  if ($ref !== undefined) return html`<a href="#${nameOf($ref)}">${nameOf($ref)}</a>`;
  if (anyOf !== undefined) return joined(unique(anyOf.map(typeHtml)), ' or ');
  if (words !== undefined || word !== undefined)
    return joined(
      (words ?? [word]).map((one) => html`<code>${String(one)}</code>`),
      ', ',
    );
  const values = valuesOf(schema);
  if (values !== null) return html`map of ${typeHtml(values)}`;
  if (items !== undefined) return html`list of ${typeHtml(items)}${limitsOf(schema)}`;
  return html`${[type].flat().join(' or ')}${limitsOf(schema)}`;
}

/** Name of the object that a reference leads to. */
export function nameOf($ref: string): string {
  return $ref.slice($ref.lastIndexOf('/') + 1);
}

/** Values of an object that takes any names; null: it takes its own alone. */
function valuesOf({ additionalProperties, patternProperties }: Schema): Schema | null {
  if (typeof additionalProperties === 'object') return additionalProperties;
  return Object.values(patternProperties ?? {})[0] ?? null;
}

function limitsOf({ format, ...limits }: Schema): string {
  const { minimum, maximum, minLength, maxLength, minItems, maxItems } = limits;
  const ranges = [
    format ?? '',
    rangeText(minimum, maximum, ''),
    rangeText(minLength || undefined, maxLength, ' characters'),
    rangeText(minItems || undefined, maxItems, ' items'),
  ];
  return ranges.map((text) => (text === '' ? '' : `, ${text}`)).join('');
}

function rangeText(least: number | undefined, most: number | undefined, unit: string): string {
  if (most === undefined) return least === undefined ? '' : `at least ${least}${unit}`;
  return least === undefined ? `at most ${most}${unit}` : `${least} to ${most}${unit}`;
}

function usualHtml({ default: usual }: Schema): Html | false {
  return usual !== undefined && html` Default: <code>${JSON.stringify(usual)}</code>.`;
}

function joined(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, i) => [i > 0 && separator, part])}`;
}

/** The values, equal ones once. */
function unique<T>(values: readonly T[]): T[] {
  return [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
}
