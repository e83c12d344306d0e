import type { ExternalProgram } from '@vantage/shared/_support/external-programs.js';
import type { Certificates } from './certificates.js';

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
  /** Programs that it runs and is inspected with. */
  readonly programs: readonly ExternalProgram[];
  /** Resolves when it answers. */
  start(options: ServerOptions): Promise<void>;
  /** Services of the server: an address or name with port, and a description. */
  readonly offers: readonly (readonly [where: string, what: string])[];
}
