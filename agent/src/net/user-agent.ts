import { AGENT_VERSION } from '../version.js';

/**
 * User agent of every HTTP request of a probe (RFC 9110 section 10.1.5): the agent with its version, and a URL where
 * administrators of a target can find out who sent it. `serviceUrl`: the control plane's own origin; null without
 * one.
 */
export function agentUserAgent(serviceUrl: string | null): string {
  const product = `vantage-agent/${AGENT_VERSION}`;
  return serviceUrl !== null && URL.canParse(serviceUrl)
    ? `${product} (+${new URL('/abuse', serviceUrl).href})`
    : product;
}

/** The User-Agent to send: a caller's own comes first, but never instead of ours. */
export function userAgentWith(callers: string | undefined, ours: string): string {
  return callers === undefined || callers.trim() === '' ? ours : `${callers} ${ours}`;
}

/** The host of the service that `agentUserAgent` names, where it is a public name; null otherwise. */
export function serviceName(userAgent: string): string | null {
  const [, url = ''] = /\(\+(\S+)\)$/.exec(userAgent) ?? [];
  const name = URL.canParse(url) ? new URL(url).hostname : '';
  return /^(?=.{4,253}$)([a-z0-9-]{1,63}\.)+[a-z][a-z0-9-]{1,62}$/.test(name) ? name : null;
}
