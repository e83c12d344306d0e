import { AGENT_VERSION } from '../version.js';

/** Where people who are bothered by our requests find out who sent them. */
const ABUSE_URL = 'https://vantage.example/abuse';

/** How every HTTP request of a probe names the service (RFC 9110 section 10.1.5). */
export const USER_AGENT = `Vantage/${AGENT_VERSION} (+${ABUSE_URL})`;

/** The User-Agent to send: a caller's own comes first, but never instead of ours. */
export function userAgentWith(callers: string | undefined): string {
  return callers === undefined || callers.trim() === '' ? USER_AGENT : `${callers} ${USER_AGENT}`;
}
