/** Page that a person sees after sign-in, if the address names none. */
export const HOME_OF_ACCOUNTS = '/account/security';

/** Pages of this site that a sign-in may lead to: with a final slash, everything below; without, itself and what is below. */
const prefixes = ['/account/', '/qr', '/console', '/oauth/'] as const;

/** Path and query of the page that `next` names, if it is one of this origin that a sign-in may lead to; else the default one. */
export function safeNext(next: string | null, publicUrl: string): string {
  if (next === null || next.length > 2_000 || !next.startsWith('/')) return HOME_OF_ACCOUNTS;
  const origin = new URL(publicUrl).origin;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : null;
  // what the parser drops or turns, such as tabs and backslashes, another parser may read otherwise
  if (url === null || url.origin !== origin || /[\\\s\p{Cc}]/u.test(next)) return HOME_OF_ACCOUNTS;
  const { pathname } = url;
  const isKnown = prefixes.some((prefix) =>
    prefix.endsWith('/') ? pathname.startsWith(prefix) : pathname === prefix || pathname.startsWith(`${prefix}/`),
  );
  return isKnown ? pathname + url.search : HOME_OF_ACCOUNTS;
}
