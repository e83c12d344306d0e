import type { Static, TSchema } from 'typebox';
import type { Logger } from '../log.js';
import type { PlanName } from '../plans.js';
import type { Compress } from './compression.js';
import type { ErrorCode } from './error-table.js';
import type { Locale } from './locale.js';
import type { Scope } from './scopes.js';

/** The doors of the modules, as handlers see them. Each module adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules merge their members into it
export interface Services {}

/** Who may call an operation (API specification 5). */
export type Auth =
  /** Anybody; credentials are not looked at: health, pages and their assets. */
  | { readonly kind: 'none' }
  /** Anybody; credentials, when sent, must be valid and carry `scope`. */
  | { readonly kind: 'public'; readonly scope?: Scope }
  /** Credentials that carry `scope`. */
  | { readonly kind: 'scope'; readonly scope: Scope }
  /** The access token of a login: about that very session. */
  | { readonly kind: 'session' }
  /** Credentials of a user with role admin. */
  | { readonly kind: 'admin' };

/** Kinds of bearer credentials: the access token of a login, a personal access token, an API key. */
export type CredentialKind = 'session' | 'personal_access_token' | 'api_key';

/** Whose credentials a request carried. */
export interface Account {
  readonly userId: string;
  readonly role: 'user' | 'admin';
  /** Whose limits hold. */
  readonly plan: PlanName;
  readonly scopes: ReadonlySet<Scope>;
  readonly credentialKind: CredentialKind;
  /** Id of the credential (`ses_`, `pat_`, `key_`), for logs and audit. */
  readonly credentialId: string;
  /** A test key: sees only what test keys made. */
  readonly isTest: boolean;
  readonly isEmailVerified: boolean;
  /** Origins that pages may use this key from; null: it is not asked. */
  readonly allowedOrigins: readonly string[] | null;
}

/** The account of a request, which is there where the operation asks for credentials. */
export type AccountOf<A extends Auth> = A extends { readonly kind: 'scope' | 'session' | 'admin' }
  ? Account
  : Account | null;

/**
 * What counts against which limit: `standard` the requests of the caller's plan, `poll` 600 waiting requests a minute,
 * `sign-in` 30 a minute from one address, `registration` 20 an hour from one address, `enrollment` 600 a minute from one network, `none` nothing.
 */
export type LimitName = 'standard' | 'poll' | 'sign-in' | 'registration' | 'enrollment' | 'none';

/** The beginning of a body of any type, as an operation with `rawBody` gets it. */
export interface RawBody {
  readonly bytes: Buffer;
  /** The whole body is larger than any may be: an operation that has done what it could answers 413. */
  readonly isTooLarge: boolean;
}

/** A body that is a file, larger than others may be. */
export interface FileBody {
  readonly maxBytes: number;
  /** What it may be sent as, in lower case. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
  /** As JSON, and as the text of any other media type. */
  readonly examples: { readonly json: unknown; readonly text: string };
}

/** A validated request. */
export interface RouteRequest<P, Q, B, A = Account | null> {
  /** As it was sent: HEAD for an operation that is a GET. */
  readonly method: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Empty but for a POST to an operation with `rawBody`. */
  readonly rawBody: RawBody;
  /** Empty but for operations with `file`. */
  readonly file: Buffer;
  readonly account: A;
  readonly requestId: string;
  /** The caller's address, trusted proxies taken off. */
  readonly address: string;
  /** Aborted when the caller went away or the server is closing. */
  readonly signal: AbortSignal;
  /** The caller's language; a reply that read it carries Content-Language and Vary. */
  readonly locale: Locale;
  /** Every line carries the request id. */
  readonly log: Logger;
  /** Value of a request header, lower-case name; null when absent. */
  header(name: string): string | null;
}

/** Position of a page in a list, as `meta.pagination` shows it; a list read by cursor has no page and total. */
export interface Pagination {
  readonly page?: number;
  readonly page_size: number;
  readonly total?: number;
  readonly has_more: boolean;
  /** Where the next page begins; null at the end. */
  readonly next_cursor?: string | null;
}

/** One Server-Sent Event. */
export interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/**
 * Response headers by name; they replace the frame's own of the same name (Cache-Control is `no-store` by default). A GET
 * with an `ETag` is answered by 304 where the caller has that already.
 */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** Data for the envelope; `undefined` is sent as null. */
export interface DataReply<D> {
  readonly status: number;
  readonly data: D;
  readonly pagination?: Pagination;
  readonly headers?: ReplyHeaders;
}

/** A whole body of its own kind, sent as it is. */
export interface RawReply {
  readonly status: number;
  readonly raw: {
    readonly contentType: string;
    readonly body: string | Buffer;
    /** How the body is compressed; default: anew for every response. */
    readonly compress?: Compress;
  };
  readonly headers?: ReplyHeaders;
}

/**
 * Server-Sent Events. The frame ends the stream when the iterable ends, the caller leaves or the server closes; it calls
 * `return()` then, so an iterable that waits should also watch the request's signal.
 */
export interface EventsReply {
  readonly status: number;
  readonly events: AsyncIterable<ServerEvent>;
}

export type Reply<D> = DataReply<D> | RawReply | EventsReply;

/** One operation of the API: everything the frame needs to check, run, document and test it. */
export interface RouteDefinition<
  P extends TSchema = TSchema,
  Q extends TSchema = TSchema,
  B extends TSchema = TSchema,
  D extends TSchema = TSchema,
  A extends Auth = Auth,
> {
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** OpenAPI path: `/v1/probe/tasks/{id}`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly auth: A;
  /** Refuses accounts whose e-mail address is not verified, once the scope is judged. */
  readonly needsVerifiedEmail?: true;
  /** What it counts against, or that by the raw query; default: `standard`, for `none` auth and undocumented ones `none`. */
  readonly limit?: LimitName | ((search: string) => LimitName);
  /** The envelope gets a weak ETag over its data, and a caller that has it 304: lists that seldom change. */
  readonly isConditional?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Instead of `body`: one of any type, or none, is taken as it is, of it the first bytes. */
  readonly rawBody?: { readonly keepBytes: number };
  /** Instead of `body`: a file, read for those alone who may send one. The handler gets its bytes. */
  readonly file?: FileBody;
  /** Example of a request body. */
  readonly bodyExample?: unknown;
  /** Example of `data` (of the body itself for `raw`); default: one made from the schema. */
  readonly replyExample?: unknown;
  /** Success statuses and the schema of `data` for each (null data: Type.Null()); for `events` that of each event's data. */
  readonly replies: Readonly<Record<number, D>>;
  /** `envelope` (default), `raw` (the schema is the body itself), `html`, `text`, `svg` or `events`. */
  readonly replyKind?: 'envelope' | 'raw' | 'html' | 'text' | 'svg' | 'events';
  /** Codes the handler may throw; those of the frame itself (body, auth, validation) are added by it. */
  readonly errors: readonly ErrorCode[];
  /** False for pages, health and other paths that are not part of the documented API. */
  readonly isDocumented?: boolean;
  handle(
    request: RouteRequest<Static<P>, Static<Q>, Static<B>, AccountOf<A>>,
    services: Services,
  ): Promise<Reply<Static<D>>>;
}

/** Types a definition from its schemas. */
export function defineRoute<
  P extends TSchema,
  Q extends TSchema,
  B extends TSchema,
  D extends TSchema,
  const A extends Auth,
>(definition: RouteDefinition<P, Q, B, D, A>): RouteDefinition<P, Q, B, D, A> {
  return definition;
}

/** Any definition, for lists. */
// biome-ignore lint/suspicious/noExplicitAny: handlers are contravariant in their request
export type AnyRoute = RouteDefinition<any, any, any, any, any>;
