import { commandLine } from '../../../src/audit-log/actor.js';
import type { Services } from '../../../src/http/route.js';
import { defaultTokenScopes, expandScopes, scopes } from '../../../src/http/scopes.js';
import type { TestDatabase } from '../database.js';
import { asUser } from '../owners.js';
import type { ApiOperation } from './operations.js';

export const callerKinds = [
  'nobody',
  'a guesser',
  'a session',
  'a personal access token',
  'a token for alerts',
  'an API key',
  'a read-only key',
  'a session of an admin',
  'a token of an admin',
  'a token of an admin that asked for it',
] as const;

export type CallerKind = (typeof callerKinds)[number];

/** A caller with credentials, in the terms of the OpenAPI document. */
export interface Caller {
  readonly kind: CallerKind;
  readonly authorization: string | null;
  /** Ids of the caller's own resources: the account and the credential. */
  readonly ids: readonly string[];
}

/** Outcome for a caller according to the document: admitted, or refused with a status. */
export function admissionOf(kind: CallerKind, { isOpen, roles }: ApiOperation): 'admitted' | 401 | 403 {
  if (roles.size === 0 || (kind === 'nobody' && isOpen)) return 'admitted';
  const credentials = schemes[kind];
  if (credentials === null) return 401;
  const role = roles.get(credentials.scheme);
  if (role === undefined) return 403;
  return role === null || credentials.roles.has(role) ? 'admitted' : 403;
}

const everything = new Set<string>(defaultTokenScopes);
const schemes: Readonly<Record<CallerKind, { readonly scheme: string; readonly roles: ReadonlySet<string> } | null>> = {
  nobody: null,
  'a guesser': null,
  'a session': { scheme: 'accessToken', roles: everything },
  'a personal access token': { scheme: 'personalAccessToken', roles: everything },
  'a token for alerts': { scheme: 'personalAccessToken', roles: new Set(['alert:read', 'account']) },
  'an API key': { scheme: 'apiKey', roles: expandScopes(['read', 'write']) },
  'a read-only key': { scheme: 'apiKey', roles: expandScopes(['read']) },
  'a session of an admin': { scheme: 'accessToken', roles: new Set([...everything, 'admin']) },
  'a token of an admin': { scheme: 'personalAccessToken', roles: everything },
  'a token of an admin that asked for it': {
    scheme: 'personalAccessToken',
    roles: new Set([...everything, 'admin']),
  },
};

let accounts = 0;

/** Creates a caller of each kind, each with its own account. */
export class Callers {
  readonly #known = new Map<CallerKind, Promise<Caller>>();

  /** `settle` prepares each caller, and returns the ids of what that created. */
  constructor(
    private readonly services: Services,
    private readonly db: TestDatabase['db'],
    private readonly settle: (caller: Caller) => Promise<readonly string[]> = async () => [],
  ) {}

  find(kind: CallerKind): Promise<Caller> {
    const caller = this.#known.get(kind) ?? this.#make(kind);
    this.#known.set(kind, caller);
    return caller;
  }

  /** Makes the next caller of the kind a new account. */
  forget(kind: CallerKind): void {
    this.#known.delete(kind);
  }

  async #make(kind: CallerKind): Promise<Caller> {
    if (kind === 'nobody') return { kind, authorization: null, ids: [] };
    if (kind === 'a guesser') return { kind, authorization: 'Bearer svc_pat_nonsense', ids: [] };
    accounts += 1;
    const role = kind.includes('admin') ? 'admin' : 'user';
    const email = `fuzz-${accounts}@test.example`;
    const { id } = await this.services.accounts.users.createUser({ email, role, password: null });
    const { token, id: credentialId } = await this.#issue(kind, id);
    const caller = { kind, authorization: `Bearer ${token}`, ids: [credentialId, id] };
    return { ...caller, ids: [...(await this.settle(caller)), ...caller.ids] };
  }

  async #issue(kind: CallerKind, userId: string): Promise<{ token: string; id: string }> {
    const { accounts, tokens } = this.services;
    const grantor = asUser(userId);
    switch (kind) {
      case 'an API key':
      case 'a read-only key': {
        const broad = kind === 'a read-only key' ? (['read'] as const) : (['read', 'write'] as const);
        const { key, id } = await tokens.apiKeys.create(grantor, { name: 'fuzz', scopes: [...broad] }, commandLine);
        return { token: key, id };
      }
      case 'a personal access token':
      case 'a token of an admin':
        return tokens.personal.create(grantor, { name: 'fuzz' }, commandLine);
      case 'a token of an admin that asked for it':
        return tokens.personal.create(grantor, { name: 'fuzz', scopes: [...scopes] }, commandLine);
      case 'a token for alerts':
        return tokens.personal.create(grantor, { name: 'fuzz', scopes: ['alert:read'] }, commandLine);
      default: {
        const client = { address: '192.0.2.1', userAgent: null };
        const pair = await accounts.sessions.open(this.db, userId, { methods: ['password'], client });
        return { token: pair.accessToken, id: pair.sessionId };
      }
    }
  }
}
