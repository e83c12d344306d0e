import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';

/** Members of a parameter's JSON Schema that define a field. */
interface ParamSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly maxLength?: number;
}

/** Parameter that the form has a field for. */
export interface FormParam {
  /** Name of the parameter: `record_type`. */
  readonly name: string;
  /** Name of the field: `dns.record_type`. */
  readonly field: string;
  readonly schema: ParamSchema;
}

/** Parameters of a type that the form has fields for. */
export function formParams(type: ProbeType): FormParam[] {
  const { Params, formParams: names } = definitionOf(type);
  const { properties } = Params as unknown as { properties: Readonly<Record<string, ParamSchema>> };
  return names.map((name) => ({ name, field: `${type}.${name}`, schema: properties[name] ?? {} }));
}

/** Values of these parameters in a form; an empty field has none. */
export function paramValues(type: ProbeType, fields: URLSearchParams): Record<string, unknown> {
  const given = formParams(type).map(({ name, field, schema }) => [name, valueOf(schema, fields.get(field)?.trim())]);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined));
}

/** Value in its type; any other text stays one, which the check of the parameters refuses. */
function valueOf({ type }: ParamSchema, text = ''): unknown {
  if (text === '') return undefined;
  if (type === 'integer' && /^-?\d{1,9}$/.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}
