import type { Static, TSchema } from 'typebox';
import type { Owner } from '../owners/index.js';
import type { Plan, PlanName } from '../plans/index.js';
import type { Logger } from '../runtime/log.js';
import type { Compress } from './compression.js';
import type { ErrorCode } from './error-table.js';
import type { JsonText } from './json-text.js';
import type { Locale } from './locale.js';
import type { ManagerRole, OwnerRole } from './owner-roles.js';
import type { Scope } from './scopes.js';

/** Services of the modules by the names of these, as handlers see them. A module adds its own by declaration merging. */
// biome-ignore lint/suspicious/noEmptyInterface: modules merge their members into it
export interface Services {}

/** Access that an operation requires (API specification 5). */
export type Auth =
  /** No credentials required, and none read: health, pages and their assets. */
  | { readonly kind: 'none' }
  /** No credentials required; credentials that are sent must be valid and carry `scope`. */
  | { readonly kind: 'public'; readonly scope?: Scope }
  /**
   * Credentials that carry `scope`, and those of `handsOut`, whose rights the operation gives to others: a caller
   * cannot give more rights than it has. `admin` among them counts for administrators alone.
   */
  | {
      readonly kind: 'scope';
      readonly scope: Scope;
      readonly handsOut?: readonly Scope[];
      /** Least role in the owner; default: any role that has the scope. */
      readonly role?: ManagerRole;
      /** True if the role `responder` is sufficient with the matching scope to read, except for API keys. */
      readonly respond?: true;
      /** True if the session of a caller that has one must be fresh. */
      readonly isFresh?: true;
    }
  /**
   * Access token of a login, for an operation about that session or its person. `isFresh`: of a session that is fresh,
   * because the operation changes what protects the account.
   */
  | { readonly kind: 'session'; readonly isFresh?: true }
  /** Credentials that carry any of these scopes, which decide what they get. */
  | { readonly kind: 'any'; readonly of: readonly Scope[] }
  /** Credentials of a user with role admin that have the scope `admin`. */
  | { readonly kind: 'admin' };

/** Kinds of bearer credentials: the access token of a login, a personal access token, an API key. */
export type CredentialKind = 'session' | 'personal_access_token' | 'api_key';

/** Proofs by which a person makes a session fresh again. */
export const stepUpFactors = ['password', 'totp', 'recovery_code', 'passkey', 'email_code'] as const;
export type StepUpFactor = (typeof stepUpFactors)[number];

/** Freshness of a session: if its person proved their identity in the last minutes, and how they can prove it again. */
export interface Freshness {
  readonly isFresh: boolean;
  readonly factors: readonly StepUpFactor[];
}

/** Account of a request: the owner of the rows, and the holder of the credentials. */
export interface Account {
  /** Owner of the rows that the request reads and creates. */
  readonly owner: Owner;
  /** The person; null for the key of a team. */
  readonly user: { readonly id: string } | null;
  /** Id of the user who counts as the creator of new rows: the person, or the creator of the key of a team. */
  readonly createdBy: string;
  /** Role of the person; `user` for the key of a team. */
  readonly role: 'user' | 'admin';
  /** Role of the credential's holder in the owner; `scopes` has only the scopes that this role lets through. */
  readonly ownerRole: OwnerRole;
  /** Plan whose limits apply. */
  readonly plan: PlanName;
  readonly scopes: ReadonlySet<Scope>;
  readonly credentialKind: CredentialKind;
  /** Id of the credential (`ses_`, `pat_`, `key_`), for logs and audit. */
  readonly credentialId: string;
  readonly isEmailVerified: boolean;
  /** Null for credentials other than sessions. */
  readonly freshness: Freshness | null;
  /** True for the session of a browser, whose requests have an allowance of their own. */
  readonly isBrowser: boolean;
  /** Origins of pages that may use this key; null if the origin is not checked. */
  readonly allowedOrigins: readonly string[] | null;
}

/** Account of a request, for operations that require credentials. */
export type AccountOf<A extends Auth> = A extends { readonly kind: 'scope' | 'session' | 'any' | 'admin' }
  ? Account
  : Account | null;

/** Feature that a plan may include. */
export interface PlanFeature {
  /** Name in `details` and documents: `custom_domains`. */
  readonly name: string;
  isIncluded(plan: Plan): boolean;
}

/** Limit of operations that do not count against a plan; operations with the same name share it. */
export interface OwnLimit {
  /** Part of the key that replicas count by: `sign-in`. */
  readonly name: string;
  /** Requests in one window. */
  readonly limit: number;
  readonly per: 'minute' | 'hour';
  /** `address`: an IPv4 address or an IPv6 /64, and 16 times as many for an IPv6 /48. `network`: an IPv4 /24 or an IPv6 /48. */
  readonly from: 'address' | 'network';
}

/**
 * Limits that a request counts against: `standard` the requests of the caller's plan, `poll` waiting requests, 600 a minute or twice
 * those of the plan if that is more, a limit of the operation's own, `none` nothing.
 */
export type RouteLimit = 'standard' | 'poll' | 'none' | OwnLimit;

/** Beginning of a body of any type, for an operation with `rawBody`. */
export interface RawBody {
  readonly bytes: Buffer;
  /** True if the body has more bytes, or the rest did not arrive in time. */
  readonly isCut: boolean;
}

/** Body that is a file, and may be larger than other bodies. */
export interface FileBody {
  readonly maxBytes: number;
  /** Media types it may be sent as, in lower case. */
  readonly mediaTypes: readonly string[];
  readonly description: string;
  /** As JSON, and as the text of any other media type. */
  readonly examples: { readonly json: unknown; readonly text: string };
}

/** A validated request. */
export interface RouteRequest<P, Q, B, A = Account | null> {
  /** Method as it was sent: HEAD for an operation that is a GET. */
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly params: P;
  readonly query: Q;
  readonly body: B;
  /** Empty except for a POST to an operation with `rawBody`. */
  readonly rawBody: RawBody;
  /** Empty except for operations with `file`. */
  readonly file: Buffer;
  readonly account: A;
  readonly requestId: string;
  /** Address of the caller, determined behind trusted proxies. */
  readonly address: string;
  /** Aborted when the caller disconnects or the server closes. */
  readonly signal: AbortSignal;
  /**
   * Calls back once, as `signal` is aborted, and costs less than a signal: for requests that wait. Returns how to call it off.
   */
  onEnding(callback: () => void): () => void;
  /** Language of the caller, for a page the one that `?lang=` names; a reply that read it carries Content-Language and Vary. */
  readonly locale: Locale;
  /** Log with the request id in every line. */
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
  /** Cursor of the next page; null at the end. */
  readonly next_cursor?: string | null;
}

/** Origin of data that may come from a cache, as `meta.cache` shows it (API specification 2.1). */
export interface CacheNote {
  readonly hit: boolean;
  readonly age_sec: number;
  /** Present if newer data could not be had. */
  readonly stale?: true;
}

/** One Server-Sent Event. */
export interface ServerEvent {
  readonly event: string;
  readonly id?: string;
  readonly data: unknown;
}

/**
 * Response headers by name; they replace the frame's own of the same name (Cache-Control is `no-store` by default). A
 * GET with an `ETag` gets 304 if the caller already has that version.
 */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** Data for the envelope; `undefined` is sent as null. */
export interface DataReply<D> {
  readonly status: number;
  readonly data: D;
  readonly pagination?: Pagination;
  /** Where the data is from; absent for data that is read for every request. */
  readonly cache?: CacheNote;
  readonly headers?: ReplyHeaders;
}

/** Whole body of another media type, sent as it is. */
export interface RawReply {
  readonly status: number;
  readonly raw: {
    readonly contentType: string;
    readonly body: string | Buffer;
    /** Compression of the body; default: each response is compressed separately. */
    readonly compress?: Compress;
  };
  readonly headers?: ReplyHeaders;
  /** Values of Set-Cookie: one header each (RFC 6265 section 3). */
  readonly cookies?: readonly string[];
}

/**
 * Server-Sent Events. The frame ends the stream when the iterable ends, the caller leaves or the server closes; it calls
 * `return()` then, so an iterable that waits should also watch the request's signal.
 */
export interface EventsReply {
  readonly status: number;
  readonly events: AsyncIterable<ServerEvent>;
  /** Aborted: the stream ends now, whatever its caller has read. */
  readonly cut?: AbortSignal;
}

/** A file of this machine, sent as it is read: it may be larger than memory. It must not change meanwhile. */
export interface FileReply {
  readonly status: number;
  readonly file: { readonly path: string; readonly bytes: number; readonly contentType: string };
}

export type Reply<D> = DataReply<D> | DataReply<JsonText> | RawReply | FileReply | EventsReply;

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
  /**
   * Serves accounts whose e-mail address is not verified. Reading always does; any other operation that an account calls
   * refuses them unless it says so here (access.ts).
   */
  readonly isOpenToUnverified?: true;
  /**
   * Limit that the operation counts against, or a function of the raw query; default: `standard`, or `none` for `none`
   * auth and undocumented routes.
   */
  readonly limit?: RouteLimit | ((search: string) => RouteLimit);
  /**
   * Refuses a caller whose limits of this operation alone are used up, before its input is read: 429 comes before 400
   * and 404. @throws ApiError
   */
  checkLimits?(
    caller: { readonly account: Account | null; readonly address: string },
    services: Services,
  ): Promise<void>;
  /**
   * True if the handler queues work that would wait for the same rows, so that its callers need no turns
   * (caller-turns.ts).
   */
  readonly queuesItself?: true;
  /** True if pages of other origins may not read it, because each request is taken from an allowance of its caller. */
  readonly isClosedToOrigins?: true;
  /** Part of a plan without which the operation is refused. */
  readonly feature?: PlanFeature;
  /**
   * True if the envelope gets a weak ETag over its data, and a caller with that version a 304: for lists that rarely
   * change.
   */
  readonly isConditional?: true;
  /** True if a reply has the address of what was created in the header Location. */
  readonly hasLocation?: true;
  readonly params?: P;
  readonly query?: Q;
  readonly body?: B;
  /** Schema of the body in the OpenAPI document, where the handler checks more of it than `body` does; default: `body`. */
  readonly documentedBody?: TSchema;
  /** Instead of `body`: a body of any type, or none, of which the first bytes are taken as they are. */
  readonly rawBody?: { readonly keepBytes: number };
  /** Instead of `body`: a file, read only for callers that may send one. The handler gets its bytes. */
  readonly file?: FileBody;
  /** Example of a request body. */
  readonly bodyExample?: unknown;
  /** Example of `data` (of the body itself for `raw`); default: one made from the schema. */
  readonly replyExample?: unknown;
  /** Success statuses and the schema of `data` for each (null data: Type.Null()); for `events` that of each event's data. */
  readonly replies: Readonly<Record<number, D>>;
  /** `envelope` (default), `raw` (the schema is the body itself), `html`, `text`, `svg`, `file` or `events`. */
  readonly replyKind?: 'envelope' | 'raw' | 'html' | 'text' | 'svg' | 'file' | 'events';
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
