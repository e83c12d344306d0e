import { Authentication, type CredentialSource } from '../authentication/index.js';
import type { Foundation } from './foundation.js';
import type { Replicas } from './replicas.js';

/**
 * Builds the authentication of tokens. `take` adds the kinds of credentials, once the modules that have them are open.
 */
export function wireAuthentication(
  { config, clock, log }: Foundation,
  { bus }: Replicas,
): { readonly authentication: Authentication; take(sources: readonly CredentialSource[]): void } {
  const sources: CredentialSource[] = [];
  const authentication = new Authentication({
    sources,
    bus,
    clock,
    log: log.child({ part: 'authentication' }),
    needsVerifiedEmail: config.needsVerifiedEmail,
  });
  return { authentication, take: (more) => void sources.push(...more) };
}
