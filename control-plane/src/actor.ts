/** Who does something, from where and by which request: what the audit log keeps of an act. */
export interface Actor {
  /** Null for somebody without credentials, and for the program itself. */
  readonly userId: string | null;
  /** Id of the key, token or session that was used. */
  readonly credentialId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

/** Whoever sent a request. */
export function actorOf(request: {
  readonly account: { readonly userId: string; readonly credentialId: string } | null;
  readonly address: string;
  readonly requestId: string;
}): Actor {
  const { account, address, requestId } = request;
  return { userId: account?.userId ?? null, credentialId: account?.credentialId ?? null, address, requestId };
}

/** Whoever works at the machine itself: the command line acts without an account. */
export const commandLine: Actor = { userId: null, credentialId: 'command line', address: null, requestId: null };

/** What the program does by itself. */
export const program: Actor = { userId: null, credentialId: null, address: null, requestId: null };
