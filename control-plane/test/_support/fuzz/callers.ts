import { commandLine } from '../../../src/actor.js';
import type { Services } from '../../../src/http/route.js';
import { expandScopes } from '../../../src/http/scopes.js';
import type { TestDatabase } from '../database.js';
import type { ApiOperation } from './operations.js';

/** Everybody who may ask for something. */
export const callerKinds = [
  'nobody',
  'a guesser',
  'a session',
  'a personal access token',
  'a token for bills',
  'an API key',
  'a read-only key',
  'a session of an admin',
  'a token of an admin',
] as const;

export type CallerKind = (typeof callerKinds)[number];

/** Somebody with credentials, as the OpenAPI document speaks of them. */
export interface Caller {
  readonly kind: CallerKind;
  readonly authorization: string | null;
  /** Ids of what is the caller's own: the account and the credential. */
  readonly ids: readonly string[];
}

/** What the document says will happen to a caller: to be let in, or refused with a status. */
export function admissionOf(kind: CallerKind, { isOpen, roles }: ApiOperation): 'admitted' | 401 | 403 {
  if (roles.size === 0 || (kind === 'nobody' && isOpen)) return 'admitted';
  const credentials = schemes[kind];
  if (credentials === null) return 401;
  const role = roles.get(credentials.scheme);
  if (role === undefined) return 403;
  return role === null || credentials.roles.has(role) ? 'admitted' : 403;
}

const everything = new Set([...expandScopes(['read', 'write', 'probe']), 'account']);
const schemes: Readonly<Record<CallerKind, { readonly scheme: string; readonly roles: ReadonlySet<string> } | null>> = {
  nobody: null,
  'a guesser': null,
  'a session': { scheme: 'accessToken', roles: everything },
  'a personal access token': { scheme: 'personalAccessToken', roles: everything },
  'a token for bills': { scheme: 'personalAccessToken', roles: new Set(['billing:read', 'account']) },
  'an API key': { scheme: 'apiKey', roles: expandScopes(['read', 'write']) },
  'a read-only key': { scheme: 'apiKey', roles: expandScopes(['read']) },
  'a session of an admin': { scheme: 'accessToken', roles: new Set([...everything, 'admin']) },
  'a token of an admin': { scheme: 'personalAccessToken', roles: new Set([...everything, 'admin']) },
};

let accounts = 0;

/** A caller of each kind, each with an account of its own. */
export class Callers {
  readonly #known = new Map<CallerKind, Promise<Caller>>();

  /** `settle` does what each is to have done before, and returns the ids of what that made. */
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

  /** The next one of the kind will be somebody new. */
  forget(kind: CallerKind): void {
    this.#known.delete(kind);
  }

  async #make(kind: CallerKind): Promise<Caller> {
    if (kind === 'nobody') return { kind, authorization: null, ids: [] };
    if (kind === 'a guesser') return { kind, authorization: 'Bearer svc_pat_nonsense', ids: [] };
    accounts += 1;
    const role = kind.endsWith('admin') ? 'admin' : 'user';
    const email = `fuzz-${accounts}@test.example`;
    const { id } = await this.services.accounts.createUser({ email, role, password: null });
    const { token, id: credentialId } = await this.#issue(kind, id);
    const caller = { kind, authorization: `Bearer ${token}`, ids: [credentialId, id] };
    return { ...caller, ids: [...(await this.settle(caller)), ...caller.ids] };
  }

  async #issue(kind: CallerKind, userId: string): Promise<{ token: string; id: string }> {
    const { tokens, sessions } = this.services;
    const grantor = { userId, scopes: null };
    switch (kind) {
      case 'an API key':
      case 'a read-only key': {
        const scopes = kind === 'a read-only key' ? (['read'] as const) : (['read', 'write'] as const);
        const { key, id } = await tokens.apiKeys.create(grantor, { name: 'fuzz', scopes: [...scopes] }, commandLine);
        return { token: key, id };
      }
      case 'a personal access token':
      case 'a token of an admin':
        return tokens.personal.create(grantor, { name: 'fuzz' }, commandLine);
      case 'a token for bills':
        return tokens.personal.create(grantor, { name: 'fuzz', scopes: ['billing:read'] }, commandLine);
      default: {
        const client = { address: '192.0.2.1', userAgent: null };
        const pair = await sessions.open(this.db, userId, { methods: ['password'], client });
        return { token: pair.accessToken, id: pair.sessionId };
      }
    }
  }
}
