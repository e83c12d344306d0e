/** JSON of the document. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };
export type JsonObject = { readonly [key: string]: Json };

/** Keywords whose values are data, not schemas: nothing in them is a component. */
const dataKeywords: ReadonlySet<string> = new Set(['default', 'enum', 'const', 'example', 'examples']);

/**
 * Collects named schemas for `components`. A schema with a PascalCase `title` is written there once and referenced
 * wherever it occurs: generated clients then have one type for it.
 */
export class SchemaComponents {
  readonly #schemas = new Map<string, JsonObject>();
  /** Schemas and their parts as the document shows them: operations share many. */
  readonly #replaced = new Map<object, Json>();

  /** The schema as the document shows it. @throws RangeError when two different schemas have one title */
  refer(schema: object): JsonObject {
    return this.#replace(schema) as JsonObject;
  }

  /** All named schemas so far, by name. */
  all(): JsonObject {
    const entries = [...this.#schemas].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(entries);
  }

  #replace(node: unknown): Json {
    if (typeof node !== 'object' || node === null) return node as Json;
    const known = this.#replaced.get(node);
    if (known !== undefined) return known;
    const replaced = Array.isArray(node) ? node.map((child) => this.#replace(child)) : this.#replaceObject(node);
    this.#replaced.set(node, replaced);
    return replaced;
  }

  #replaceObject(node: object): Json {
    const children = Object.entries(node)
      .filter(([, child]) => child !== undefined)
      .map(([key, child]) => [key, dataKeywords.has(key) ? child : this.#replace(child)]);
    const replaced: JsonObject = Object.fromEntries(children);
    const title = replaced['title'];
    return typeof title === 'string' && /^[A-Z][A-Za-z0-9]*$/.test(title) ? this.#name(title, replaced) : replaced;
  }

  #name(title: string, schema: JsonObject): JsonObject {
    const known = this.#schemas.get(title);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new RangeError(`two different schemas have the title "${title}"`);
    }
    this.#schemas.set(title, schema);
    return { $ref: `#/components/schemas/${title}` };
  }
}
