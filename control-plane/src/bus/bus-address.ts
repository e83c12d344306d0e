/** Address of the bus between replicas. */
export type BusAddress =
  /** PostgreSQL itself. */
  { readonly kind: 'postgres' } | NatsAddress;

/** One NATS server or a cluster of them. */
export interface NatsAddress {
  readonly kind: 'nats';
  /** `host:port`, `[v6]:port`; at least one. */
  readonly servers: readonly string[];
  /** True if TLS is required, false if it is used only where the server requires it. */
  readonly isTls: boolean;
  /** A secret. */
  readonly credentials: NatsCredentials | null;
}

/** Credentials of a client of a NATS server. */
export type NatsCredentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };
