import type { Requirement } from '../missing.js';
import type { Certificates } from './certificates.js';

/** What a server is started with. */
export interface ServerOptions {
  /** Namespace of `far`. */
  readonly namespace: string;
  /** A directory of its own, removed with the lab. */
  readonly directory: string;
  readonly certificates: Certificates;
}

/** A server of the lab; its processes end with its namespace. */
export interface ServerDefinition {
  readonly summary: string;
  readonly requirements: readonly Requirement[];
  /** Resolves when it answers. */
  start(options: ServerOptions): Promise<void>;
  /** What one can ask it for: an address or name with port, and what it is. */
  readonly offers: readonly (readonly [where: string, what: string])[];
}
