/** Author of an act, with address, request and credential, as the audit log stores it. */
export interface Actor {
  /** Null for callers without credentials, and for the program itself. */
  readonly userId: string | null;
  /** Id of the key, token or session that was used. */
  readonly credentialId: string | null;
  readonly address: string | null;
  readonly requestId: string | null;
}

export function actorOf(request: {
  readonly account: { readonly user: { readonly id: string } | null; readonly credentialId: string } | null;
  readonly address: string;
  readonly requestId: string;
}): Actor {
  const { account, address, requestId } = request;
  return { userId: account?.user?.id ?? null, credentialId: account?.credentialId ?? null, address, requestId };
}

/** Actor for a user of this machine: the command line acts without an account. */
export const commandLine: Actor = { userId: null, credentialId: 'command line', address: null, requestId: null };

/** Actor of everything that the program does by itself. */
export const program: Actor = { userId: null, credentialId: null, address: null, requestId: null };
