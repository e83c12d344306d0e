/** Where replicas meet. */
export type BusAddress =
  /** In the database itself. */
  { readonly kind: 'postgres' } | NatsAddress;

/** One NATS server or a cluster of them. */
export interface NatsAddress {
  readonly kind: 'nats';
  /** `host:port`, `[v6]:port`; at least one. */
  readonly servers: readonly string[];
  /** TLS or nothing; else TLS where the server wants it. */
  readonly isTls: boolean;
  /** A secret. */
  readonly credentials: NatsCredentials | null;
}

/** What a NATS server knows its clients by. */
export type NatsCredentials =
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };
