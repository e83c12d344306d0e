/** JSON Schema, and any part of an OpenAPI document: inspected, not typed. */
// biome-ignore lint/suspicious/noExplicitAny: documents are data
export type Part = any;

/** Place in the document: names from its root. */
export type Place = readonly (string | number)[];

export interface ApiParameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Part;
  readonly place: Place;
}

export interface ApiBody {
  readonly schema: Part;
  readonly place: Place;
  readonly example: unknown;
  /** True if the body is a file according to its media types: it may be no JSON, and larger than other bodies. */
  readonly isFile: boolean;
  /** True if a request may come without a body. */
  readonly isOptional: boolean;
}

/** An operation as the document describes it; references are followed. */
export interface ApiOperation {
  readonly operationId: string;
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly params: readonly ApiParameter[];
  readonly query: readonly ApiParameter[];
  readonly body: ApiBody | null;
  /** True if no credentials are needed. */
  readonly isOpen: boolean;
  /**
   * Role or scope that the credentials of a scheme need, by scheme; null if they need none. A scheme that is absent is not
   * accepted.
   */
  readonly roles: ReadonlyMap<string, string | null>;
  /** Media types with the places of their schemas, by status. */
  readonly responses: ReadonlyMap<number, ReadonlyMap<string, Place>>;
}

/** Every operation of a document, in its order. */
export function readOperations(document: Part): ApiOperation[] {
  return Object.entries<Part>(document.paths).flatMap(([path, methods]) =>
    Object.entries<Part>(methods).map(([method, operation]) => readOperation(document, { path, method, operation })),
  );
}

function readOperation(
  document: Part,
  { path, method, operation }: { readonly path: string; readonly method: string; readonly operation: Part },
): ApiOperation {
  const place = ['paths', path, method];
  const parameters = operation.parameters.map((parameter: Part, index: number) =>
    follow(document, parameter, [...place, 'parameters', index]),
  );
  const inPlace = (where: string): ApiParameter[] =>
    parameters
      .filter(({ part }: Found) => part.in === where)
      .map(({ part, place: at }: Found) => ({
        name: part.name,
        isRequired: part.required === true,
        schema: part.schema,
        place: [...at, 'schema'],
      }));
  const content = operation.requestBody?.content['application/json'];
  const responses = Object.entries<Part>(operation.responses).map(
    ([status, response]) =>
      [Number(status), contentPlaces(follow(document, response, [...place, 'responses', status]))] as const,
  );
  return {
    operationId: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0],
    params: inPlace('path'),
    query: inPlace('query'),
    body:
      content === undefined
        ? null
        : {
            schema: content.schema,
            place: [...place, 'requestBody', 'content', 'application/json', 'schema'],
            example: content.example,
            isFile: Object.keys(operation.requestBody.content).length > 1,
            isOptional: operation.requestBody.required !== true,
          },
    isOpen: operation.security.length === 0 || operation.security.some((one: Part) => Object.keys(one).length === 0),
    roles: new Map(
      operation.security.flatMap((one: Part) => Object.entries<Part>(one).map(([k, v]) => [k, v[0] ?? null])),
    ),
    responses: new Map(responses),
  };
}

interface Found {
  readonly part: Part;
  readonly place: Place;
}

function follow(document: Part, part: Part, place: Place): Found {
  if (part.$ref === undefined) return { part, place };
  const names: string[] = part.$ref.slice(2).split('/');
  return { part: names.reduce((parent, name) => parent[name], document), place: names };
}

function contentPlaces({ part, place }: Found): ReadonlyMap<string, Place> {
  return new Map(
    Object.entries<Part>(part.content ?? {}).map(([type, { schema }]) => {
      const at = [...place, 'content', type, 'schema'];
      return [type, schema.contentSchema === undefined ? at : [...at, 'contentSchema']];
    }),
  );
}
