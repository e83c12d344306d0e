import type { Knex } from 'knex';
import type { Auth, Services } from '../../src/http/route.js';
import type { Scope } from '../../src/http/scopes.js';

/**
 * Statements of a module for the tests that go through all operations and all tables, in `modules/NAME/_support/samples.ts`.
 * They are written by hand: a test that took them from the module would compare the module with itself.
 */
export interface Samples {
  /** Every documented operation of the module by method and path: `GET /v1/monitors/{id}`. */
  readonly operations?: Readonly<Record<string, OperationSample>>;
  /** One row for every table of the module whose rows belong to owners, and for every path with an id. */
  readonly rows?: readonly RowSample[];
  /** Paths before a parameter that names nothing of an account. */
  readonly publicPaths?: readonly string[];
}

export interface OperationSample {
  readonly callers: Callers;
  /** A body that the operation accepts. Default: the example in its documentation; an operation that creates a record needs its own. */
  readonly body?: (fill: Fill) => object;
  /** Further bodies of an operation that creates records of different kinds; they may need a node online. */
  readonly otherBodies?: readonly ((fill: Fill) => object)[];
  /** Name of the created record in the response, if it is created with something else. */
  readonly recordName?: string;
  /** Default: 32 KiB. */
  readonly maxBodyBytes?: number;
}

/** Admission to an operation, and whether unverified accounts may call it although it changes something. */
export type Callers = Auth & { readonly isOpenToUnverified?: true };

/** Values that differ from one record to another. */
export interface Fill {
  /** Stands in every text field. */
  readonly text: string;
  readonly userId: string;
}

export interface RowSample {
  readonly table: string;
  /** Further tables that `create` fills. */
  readonly alsoFills?: readonly string[];
  /** Paths after which operations name the row by its id. The first is the path of its list. */
  readonly paths: readonly string[];
  /** How its list is read: a page with the total number of rows, or by cursor. */
  readonly list?: 'counted' | 'by cursor';
  /** Default: a POST to the first path with the body of that operation. `side effect`: acts of an account write it. */
  readonly create?: ((owner: RowOwner) => Promise<string | null>) | 'side effect';
  /** Condition on the rows that go with their owner, if some stay, and why these do. */
  readonly keptOfDeleted?: readonly [gone: string, reason: string];
}

/** Account that a row is created for, and ways to do it. */
export interface RowOwner extends Fill {
  readonly isTest: boolean;
  readonly db: Knex;
  readonly services: Services;
  /** Creates a record by its operation with the sample body, or another. @returns its id */
  create(path: string, body?: object): Promise<string>;
}

export const admin: Callers = { kind: 'admin' };
/** Credentials are ignored. */
export const unauthenticated: Callers = { kind: 'none' };
/** Credentials that are sent must be valid. */
export const anybody: Callers = { kind: 'public' };

/** Anybody; credentials that are sent have the scope. */
export const publicScope = (scope: Scope): Callers => ({ kind: 'public', scope });

/** Credentials with the scope. */
export const scope = (name: Scope): Callers => ({ kind: 'scope', scope: name });

/** The same callers, and among them accounts whose address is not verified. */
export const open = (callers: Callers): Callers => ({ ...callers, isOpenToUnverified: true });

/** Id of the channel that every account is created with. */
export const defaultChannelOf = (userId: string) => `ch_${userId.slice(2)}`;
