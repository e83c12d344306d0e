import { formatHost, parseHost, TargetError } from '@vantage/shared/target-policy/host.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import type { Settings } from './settings.js';

/** Where the secrets of a request go, and how the server there is found and recognised. Paths and queries are no part of it. */
export interface SecretBinding {
  readonly scheme: string;
  /** In canonical form: an address, or a name in lower-case A-labels (RFC 5890) without a trailing dot. */
  readonly host: string;
  readonly port: number;
  /** In the same form; null for the node's own resolver. */
  readonly resolver: string | null;
  readonly verify_tls: boolean;
}

const parts = ['scheme', 'host', 'port', 'resolver', 'verify_tls'] as const;

/** Binding of a target and its settings; null if the target is not a URL, and nothing can be bound to it. */
export function bindingOf(target: string, config: Settings): SecretBinding | null {
  const { resolver, verify_tls: verifiesTls } = config;
  try {
    const { url, host, port } = parseHttpUrl(target);
    return {
      scheme: url.protocol.slice(0, -1),
      host: formatHost(host),
      port,
      resolver: typeof resolver === 'string' ? formatHost(parseHost(resolver)) : null,
      verify_tls: verifiesTls !== false,
    };
  } catch (error) {
    if (error instanceof TargetError) return null;
    throw error;
  }
}

/** Parts in which two bindings differ; empty: they are equal. A missing binding equals no other. */
export function changedParts(a: SecretBinding | null, b: SecretBinding | null): readonly (typeof parts)[number][] {
  return a === null || b === null ? parts : parts.filter((part) => a[part] !== b[part]);
}
