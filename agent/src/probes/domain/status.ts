/** Status values of EPP whose words differ in RDAP (RFC 8056 section 2). */
const renamed: ReadonlyMap<string, string> = new Map([
  ['ok', 'active'],
  ['linked', 'associated'],
]);

/** A status in the spelling of RDAP: words in lower case; null for what is no status. */
export function rdapStatus(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim().toLowerCase().replace(/\s+/g, ' ');
  return /^[a-z]+(?: [a-z]+){0,4}$/.test(text) && text.length <= 64 ? (renamed.get(text) ?? text) : null;
}

/**
 * A status of EPP (RFC 5731 section 2.3), as WHOIS servers write it, in the spelling of RDAP: `clientHold https://…` is
 * `client hold`. Null for the words of other registries, which say something else.
 */
export function rdapStatusOfEpp(value: string): string | null {
  const [word = ''] = value.trim().split(/[\s(]/, 1);
  const isEpp =
    /^(?:ok|inactive|linked|(?:client|server)(?:Delete|Hold|Renew|Transfer|Update)(?:Prohibited)?|(?:add|autoRenew|renew|transfer|redemption)Period|pending(?:Create|Delete|Renew|Restore|Transfer|Update))$/;
  return isEpp.test(word) ? rdapStatus(word.replace(/[A-Z]/g, ' $&')) : null;
}
