import type { Clock } from '@vantage/shared/clock.js';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AuditAction } from '../audit-log/actions.js';
import type { Authentication, CredentialSource } from '../authentication/index.js';
import type { Bus } from '../bus/bus.js';
import type { Config } from '../config/config.js';
import type { Outbound } from '../deliver/index.js';
import type { Consumer } from '../events/index.js';
import type { GeoDatabases } from '../geo/index.js';
import type { DocumentedWebhook } from '../http/openapi/openapi-webhooks.js';
import type { RateLimiter } from '../http/rate-limit.js';
import type { AnyRoute, Services } from '../http/route.js';
import type { ResultKind } from '../ingest/index.js';
import type { AnyJobType, JobServices } from '../jobs/job.js';
import type { AssignedReads, LinkTable, StateKind } from '../links/index.js';
import type { Mail, MailParts, MailTemplates } from '../mail/index.js';
import type { Export, Release, Revocation, Revoke, Suspension } from '../owners/index.js';
import type { Metrics } from '../runtime/metrics.js';
import type { Startable } from '../runtime/startable.js';
import type { TargetLists } from '../target-lists.js';
import type { PasswordHasher } from './accounts/index.js';
import type { NodeDirectory } from './nodes/index.js';

/** Parts of the control plane that modules are built on. None of them runs yet when a module is opened. */
export interface House {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Logger;
  /** Connections of requests. */
  readonly db: Knex;
  /** Connections of agents and of background work. */
  readonly agentsDb: Knex;
  readonly publicUrl: string;
  /** Key of the installation, 32 bytes. */
  readonly secretKey: Buffer;
  readonly replicaId: string;
  /** Base64 of the Ed25519 key that agents know this installation by. */
  readonly serverPublicKey: string;
  /** Registry in which a module creates its metrics. */
  readonly registry: Registry;
  /** Metrics of what all modules share. */
  readonly metrics: Metrics;
  readonly bus: Bus;
  readonly directory: NodeDirectory;
  readonly limiter: RateLimiter;
  readonly mail: Mail;
  /** Default: hashes passwords at the full cost. */
  readonly hasher?: PasswordHasher;
  /** Sends mails at once, for modules that retry themselves. */
  readonly mailer: Pick<MailParts['mailer'], 'sendAtOnce'>;
  readonly geo: GeoDatabases;
  readonly lists: TargetLists;
  /** Client through which all HTTP requests to other servers go. */
  readonly outbound: Outbound;
  readonly links: LinkTable;
  /** Interval between two heartbeats of an agent, in milliseconds. */
  readonly heartbeatMs: number;
  readonly authentication: Pick<Authentication, 'revoked' | 'revokedAll' | 'examine' | 'onChanged'>;
  /** Calls `release` of every module, in the order of the list. */
  readonly releaseHoldings: Release;
  /** Calls `revocation` of every module, in the order of the list. */
  readonly revokeHoldings: Revoke;
  /** Reads `export` of every module. */
  readonly exportHoldings: Export;
  /** Calls `suspension` of every module, in the order of the list. */
  readonly holdings: Suspension;
}

/** The house before its modules are opened. */
export type OpenHouse = Omit<House, 'releaseHoldings' | 'revokeHoldings' | 'holdings' | 'exportHoldings'>;

/** Data of a module that nodes deliver over their links, and the work that the module assigns to nodes. */
export interface LinkPart {
  readonly kinds: readonly ResultKind[];
  readonly states: readonly StateKind[];
  /** Reads of the one module that assigns work to nodes. */
  readonly assigned?: AssignedReads;
}

/** A module that was opened. Every part is optional. */
export interface Module {
  /** Given to routes and to later modules, under the name of the module. */
  readonly service?: unknown;
  /** Started in this order after the modules before it, and stopped in reverse. */
  readonly startables?: readonly Startable[];
  /** Hourly housekeeping; every task is idempotent and may run on several replicas at once. */
  readonly upkeep?: readonly (() => Promise<void>)[];
  /** Consumers of events. */
  readonly on?: readonly Consumer[];
  /** Added to the services that jobs get. */
  readonly jobServices?: Partial<JobServices>;
  /** Kinds of credentials that requests may carry. */
  readonly credentials?: readonly CredentialSource[];
  readonly link?: LinkPart;
  readonly release?: Release;
  readonly revocation?: Revocation;
  readonly suspension?: Suspension;
  readonly export?: Export;
}

interface ModuleFacts<N extends string> {
  /** Name in the list, and key of its service. */
  readonly name: N;
  /** Groups of its operations in the API reference, with a sentence for each. */
  readonly tags?: Readonly<Record<string, string>>;
  /** Operations and pages, or a function that creates them from the audit actions of all modules. */
  readonly routes?: readonly AnyRoute[] | ((actions: readonly AuditAction[]) => readonly AnyRoute[]);
  /** Acts that it writes into the audit log. */
  readonly actions?: readonly AuditAction[];
  readonly mails?: MailTemplates;
  /** Requests that it sends to addresses of users, for the API reference. */
  readonly webhooks?: readonly DocumentedWebhook[];
  readonly jobs?: readonly AnyJobType[];
  /** Classes of its metrics, which `open` creates in the registry; docs/operating.md explains each of them. */
  readonly metrics?: MetricsClass | readonly MetricsClass[];
}

/** Class that registers metrics; its methods named `watch…` register gauges. */
export type MetricsClass = new (registry: Registry) => object;

/** Builds the parts of a module; nothing runs yet. `services` are those of the modules before it in the list. */
type OpenModule<M extends Module> = (house: House, services: Services) => M;

/** Static description of a module, for the list of modules. */
export interface ModuleDefinition<N extends string = string> extends ModuleFacts<N> {
  readonly open?: OpenModule<Module>;
}

/** Description of the module of a name: it opens the service that is declared under this name, or none if none is declared. */
type Described<N extends string> = ModuleFacts<N> &
  (N extends keyof Services
    ? { readonly open: OpenModule<Module & { readonly service: Services[N] }> }
    : { readonly open?: OpenModule<Module & { readonly service?: never }> });

/** Types a definition. */
export function defineModule<const N extends string>(definition: Described<N>): ModuleDefinition<N> {
  return definition;
}
