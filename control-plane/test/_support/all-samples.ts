import { existsSync } from 'node:fs';
import type { AnyRoute } from '../../src/http/route.js';
import { auditActions, modules } from '../../src/wiring/modules.js';
import type { Fill, OperationSample, RowSample, Samples } from './samples.js';
import type { ApiAnswer, Stack, TestApi } from './stack.js';

export const nameOf = ({ method, path }: AnyRoute) => `${method} ${path}`;

/** Documented operations of each module, and what its samples state. */
export const stated = await Promise.all(
  modules.map(async ({ name, routes = [] }) => {
    const file = `control-plane/src/modules/${name}/_support/samples.ts`;
    const compiled = new URL(`../../src/modules/${name}/_support/samples.js`, import.meta.url);
    // a module without documented operations and owned tables has nothing to state
    const samples: Samples = existsSync(compiled) ? (await import(compiled.href)).samples : {};
    const all = typeof routes === 'function' ? routes(auditActions) : routes;
    return { file, documented: all.filter(({ isDocumented }) => isDocumented !== false), samples };
  }),
);

/** Every documented operation. */
export const documented = stated.flatMap((module) => module.documented);

/** Every stated operation by its name. */
export const operations: ReadonlyMap<string, OperationSample> = new Map(
  stated.flatMap(({ samples }) => Object.entries(samples.operations ?? {})),
);

export const rows: readonly RowSample[] = stated.flatMap(({ samples }) => samples.rows ?? []);

/** Every table with a stated row. */
export const statedTables: ReadonlySet<string> = new Set(
  rows.flatMap(({ table, alsoFills = [] }) => [table, ...alsoFills]),
);

/** Paths before a parameter that names nothing of an account. */
export const publicPaths: ReadonlySet<string> = new Set(stated.flatMap(({ samples }) => samples.publicPaths ?? []));

/** File that states an operation. */
export function fileOf(operation: string): string | undefined {
  return stated.find((module) => module.documented.some((route) => nameOf(route) === operation))?.file;
}

/** Body of an operation with these texts. @throws Error naming the file that should state it */
export function sampleBody(operation: string, fill: Fill): object {
  const body = operations.get(operation)?.body;
  if (body === undefined) throw new Error(`${operation}: state a body under operations in ${fileOf(operation)}`);
  return body(fill);
}

/** The record in the response to an operation that created or changed it. */
export function recordIn(operation: string, { data }: ApiAnswer['body']): ApiAnswer['body'] {
  const name = operations.get(operation)?.recordName;
  return name === undefined ? data : data?.[name];
}

/** True if API keys may call an operation, and so test keys, which create and see test records alone. */
export function admitsKeys(operation: string): boolean {
  const callers = operations.get(operation)?.callers;
  return callers?.kind === 'scope' && callers.scope !== 'account';
}

export interface NewRow {
  readonly api: TestApi;
  /** Stands in every text field. */
  readonly text: string;
  /** API key with which test rows are created; default: the row is none. */
  readonly testKey?: string;
}

/** Creates a stated row of an account. @returns its id, null if no operation needs it */
export async function createRow({ database, controlPlane }: Stack, row: RowSample, { api, text, testKey }: NewRow) {
  const fill = { text, userId: api.userId };
  const create = async (path: string, body = sampleBody(`POST ${path}`, fill)): Promise<string> => {
    const as = admitsKeys(`POST ${path}`) ? (testKey ?? api.token) : api.token;
    const answer = await api.call('POST', path, { body, as });
    if (answer.status !== 201) throw new Error(`POST ${path}: ${JSON.stringify(answer.body)}`);
    return recordIn(`POST ${path}`, answer.body).id;
  };
  const [path = ''] = row.paths;
  if (row.create === undefined) return create(path);
  if (row.create === 'side effect') return null;
  const { services } = controlPlane;
  return row.create({ ...fill, isTest: testKey !== undefined, db: database.db, services, create });
}
