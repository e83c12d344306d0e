// owner ──spawns──► flock <data>/database.lock ──execs──► guardian ──spawns──► postgres
//   │ stdin: nothing is ever written; its end is the owner's end                 ▲
//   └ stdout: one report per line, JSON  ◄────────────────────────────────────────┘

/**
 * Orders of the owner, passed as the guardian's only argument in JSON. They hold no secret: command lines are public.
 */
export interface GuardianOrders {
  readonly dataDir: string;
  readonly ownerPid: number;
  readonly purpose: OwnerPurpose;
  /** Directory that is removed with everything in it after the database has stopped; null if everything stays. */
  readonly ephemeral: string | null;
  /** PostgreSQL settings over ours. */
  readonly settings: Readonly<Record<string, string>>;
  /** Parent of the socket directory if the data directory's path is too long for a socket. */
  readonly temporaryDirectory: string;
}

/** A server stays and lets others join; a command works alone and ends soon. */
export type OwnerPurpose = 'server' | 'command';

/** Report of the guardian to its owner. */
export type GuardianReport =
  | { readonly kind: 'ready'; readonly url: string }
  /** The database never took connections; the guardian ends. */
  | { readonly kind: 'failed'; readonly message: string }
  /** The server process died and is being started again. */
  | { readonly kind: 'restarting'; readonly message: string }
  /** It died and can't be started again; the guardian ends. */
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'log'; readonly line: string };

/** Exit code of flock when another process holds the lock; EX_TEMPFAIL of sysexits.h, which neither program uses. */
export const lockedExitCode = 75;
