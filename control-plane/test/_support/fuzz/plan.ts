import fc from 'fast-check';
import { admissionOf, type CallerKind, callerKinds } from './callers.js';
import { boundsOf, mutate, mutationArbitrary } from './mutation.js';
import type { ApiBody, ApiOperation, ApiParameter, Part } from './operations.js';
import { schemaArbitrary } from './schema-arbitrary.js';

/** A request to be made; texts from earlier responses are still stand-ins. */
export interface Plan {
  readonly caller: CallerKind;
  /** A text for each path parameter, or the number of a known id. */
  readonly params: Readonly<Record<string, string | number>>;
  /** Texts for the query parameters that are sent; several for a list. */
  readonly query: Readonly<Record<string, readonly string[]>>;
  /** A JSON value, a text that may be invalid JSON, or no body. */
  readonly body: { readonly value: unknown } | { readonly text: string } | null;
  readonly language: string;
  readonly idempotencyKey: string | null;
}

/** Arbitrary for requests of an operation: as documented, nearly so, and not at all. */
export function planArbitrary(document: Part, operation: ApiOperation): fc.Arbitrary<Plan> {
  const fitting = callerKinds.filter((kind) => admissionOf(kind, operation) === 'admitted');
  const params = operation.params.map((param) => [param.name, pathText(document, param)] as const);
  const query = operation.query.map((param) => [param.name, queryTexts(document, param)] as const);
  const required = operation.query.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  return fc.record({
    caller: fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...fitting) },
      { weight: 1, arbitrary: fc.constantFrom(...callerKinds) },
    ),
    params: fc.record(Object.fromEntries(params)),
    query: fc.oneof(
      { weight: 1, arbitrary: fc.constant({}) },
      { weight: 3, arbitrary: fc.record(Object.fromEntries(query), { requiredKeys: required }) },
    ),
    body: operation.body === null ? fc.constant(null) : bodyArbitrary(document, operation.body),
    language: fc.constantFrom('en', 'zh-CN', 'zh-HK, en;q=0.5', '*', 'tlh', ''),
    idempotencyKey: fc.option(fc.stringMatching(/^key-[12]$/), { freq: 8 }),
  });
}

const oddTexts = [
  '',
  ' ',
  'abc',
  '-1',
  '0',
  '5.5',
  '1e3',
  '0x10',
  '99999999999',
  'null',
  'true',
  '%00',
  'ß',
  'a'.repeat(300),
];

function pathText(document: Part, { schema, name }: ApiParameter): fc.Arbitrary<string | number> {
  const generated = schemaArbitrary(document, schema, name).map(String);
  return fc.oneof(
    { weight: 4, arbitrary: fc.nat({ max: 60 }) },
    { weight: 1, arbitrary: generated },
    { weight: 1, arbitrary: fc.constantFrom(...oddTexts) },
  );
}

function queryTexts(document: Part, { schema, name }: ApiParameter): fc.Arbitrary<readonly string[]> {
  const generated = schemaArbitrary(document, schema, name);
  return fc.oneof(
    { weight: 4, arbitrary: generated.map((value) => (Array.isArray(value) ? value.map(String) : [String(value)])) },
    { weight: 1, arbitrary: fc.constantFrom(...oddTexts).map((text) => [text]) },
  );
}

const rawTexts = ['', '{', 'null', '[]', '"text"', '{"a":1', '\ufeff{}', '{}{}', `{"a":"${'x'.repeat(40_000)}"}`];

function bodyArbitrary(document: Part, { schema, example }: ApiBody): fc.Arbitrary<Plan['body']> {
  const bounds = boundsOf(schema);
  const generated = schemaArbitrary(document, schema);
  const documented = fc.constant<unknown>(example);
  const changed = fc
    .tuple(fc.oneof(documented, generated), mutationArbitrary)
    .map(([value, mutation]) => ({ value: mutate(value, mutation, bounds) }));
  return fc.oneof(
    { weight: 3, arbitrary: documented.map((value) => ({ value })) },
    { weight: 4, arbitrary: generated.map((value) => ({ value })) },
    { weight: 4, arbitrary: changed },
    { weight: 1, arbitrary: fc.constantFrom(...rawTexts).map((text) => ({ text })) },
  );
}
