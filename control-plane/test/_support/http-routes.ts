import { type Static, Type } from 'typebox';
import { type AnyRoute, type Auth, defineRoute } from '../../src/http/route.js';

const Thing = Type.Object({ name: Type.String(), count: Type.Integer() }, { additionalProperties: false });

const ThingCreate = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 40_000 }),
    count: Type.Integer({ minimum: 1, maximum: 10, default: 3 }),
    labels: Type.Optional(Type.Record(Type.String(), Type.String())),
    data: Type.Optional(Type.Unknown()),
  },
  { additionalProperties: false },
);

/** Requests that reached a handler, newest last. */
export interface Handled {
  readonly operationId: string;
  readonly input: unknown;
}

/** Routes as modules define them, which record the requests that reach them. */
export function thingRoutes(handled: Handled[] = []): AnyRoute[] {
  const getThing = defineRoute({
    operationId: 'getThing',
    method: 'GET',
    path: '/v1/things/{id}',
    summary: 'A thing',
    tag: 'Things',
    auth: { kind: 'public' },
    params: Type.Object({ id: Type.String({ pattern: '^t_[a-z]+$' }) }),
    query: Type.Object({
      wait: Type.Optional(Type.Integer({ minimum: 1, maximum: 30 })),
      page: Type.Integer({ minimum: 1, default: 1 }),
      tags: Type.Optional(Type.Array(Type.String(), { maxItems: 3 })),
    }),
    replies: { 200: Thing },
    errors: ['NODE_NOT_FOUND'],
    handle: async ({ params, query }) => {
      handled.push({ operationId: 'getThing', input: { params, query } });
      return { status: 200, data: { name: params.id, count: query.page } };
    },
  });
  return [
    getThing,
    createThing('createThing', '/v1/things', { kind: 'public' }, handled),
    createThing('createOwnThing', '/v1/own-things', { kind: 'scope', scope: 'probe' }, handled),
    createThing('createAdminThing', '/v1/admin-things', { kind: 'admin' }, handled),
  ];
}

function createThing(operationId: string, path: string, auth: Auth, handled: Handled[]): AnyRoute {
  return defineRoute({
    operationId,
    method: 'POST',
    path,
    summary: 'Create a thing',
    tag: 'Things',
    auth,
    body: ThingCreate,
    bodyExample: { name: 'a thing' },
    replies: { 201: Thing },
    errors: ['VALIDATION_FAILED', 'CONFLICT'],
    handle: async ({ body }: { readonly body: Static<typeof ThingCreate> }) => {
      handled.push({ operationId, input: body });
      return { status: 201, data: { name: body.name, count: body.count } };
    },
  });
}

/** A public GET whose handler the test provides. */
export function aRoute(path: string, overrides: Partial<AnyRoute>): AnyRoute {
  return {
    operationId: `get${path.replaceAll('/', '_')}`,
    method: 'GET',
    path,
    summary: 'For a test',
    tag: 'Tests',
    auth: { kind: 'public' },
    replies: { 200: Type.Unknown() },
    errors: [],
    handle: async () => ({ status: 200, data: null }),
    ...overrides,
  };
}
