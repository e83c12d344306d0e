import type { RegistrySubject } from './registry-context.js';

/** Query formats of certain registries of domains; others take the name alone. */
const domainQuestions: ReadonlyMap<string, (domain: string) => string> = new Map([
  // the registry would otherwise also return registrars and name servers of that name
  ['com', (domain) => `domain ${domain}`],
  ['net', (domain) => `domain ${domain}`],
  ['de', (domain) => `-T dn,ace ${domain}`],
  // in English
  ['jp', (domain) => `${domain}/e`],
]);

/** Query formats of certain registries of addresses. */
const addressQuestions: ReadonlyMap<string, (address: string) => string> = new Map([
  ['whois.arin.net', (address) => `n + ${address}`],
  // without persons, whose data registries count against the client
  ['whois.ripe.net', (address) => `-r ${address}`],
  ['whois.apnic.net', (address) => `-r ${address}`],
  ['whois.afrinic.net', (address) => `-r ${address}`],
]);

/** Line that asks a WHOIS server about a domain or an address, without its end. */
export function whoisQuestion({ kind, name }: RegistrySubject, server: string): string {
  const format = kind === 'address' ? addressQuestions.get(server) : domainQuestions.get(name.split('.').at(-1) ?? '');
  return format?.(name) ?? name;
}
