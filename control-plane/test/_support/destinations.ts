import fc from 'fast-check';

/** Destination of a request, in the terms of a test. */
export interface Destination {
  readonly scheme: 'http' | 'https';
  readonly host: number;
  readonly port: number;
  readonly resolver: number;
  readonly verifiesTls: boolean;
}

/** A destination in one of its spellings. */
export interface Written {
  readonly target: string;
  readonly config: { readonly resolver?: string; readonly verify_tls?: boolean };
}

/** Each row is one host, in spellings that mean the same. */
const hosts = [
  ['shop.example', 'Shop.EXAMPLE', 'shop.example.'],
  ['shop.example.com'],
  ['xn--bcher-kva.example', 'bücher.example', 'XN--BCHER-KVA.example', 'BÜCHER.example'],
  ['192.0.78.1'],
  ['[2606:4700::1]'],
];
const resolvers = [
  [undefined],
  ['dns.example', 'DNS.example', 'dns.example.'],
  ['9.9.9.9'],
  ['2620:fe::fe', '[2620:fe::fe]'],
];
const paths = ['', '/', '/?q=1', '/other#x', '//evil.example/', '/@evil.example/', '/%2e%2e/'];

/** Arbitrary for any destination. */
export const destinations = fc.record<Destination>({
  scheme: fc.constantFrom('http', 'https'),
  host: fc.nat(hosts.length - 1),
  port: fc.constantFrom(80, 443, 8080, 8443),
  resolver: fc.nat(resolvers.length - 1),
  verifiesTls: fc.boolean(),
});

/** Arbitrary for pairs of destinations, many of them equal or different in one part. */
export const pairs = fc
  .tuple(destinations, destinations, fc.subarray(['scheme', 'host', 'port', 'resolver', 'verifiesTls']))
  .map(
    ([a, b, kept]) =>
      [a, { ...b, ...Object.fromEntries(kept.map((part) => [part, a[part as keyof Destination]])) }] as const,
  );

/** A destination in any of its spellings, with any path. */
export function spellingsOf({ scheme, host, port, resolver, verifiesTls }: Destination): fc.Arbitrary<Written> {
  const isDefault = port === (scheme === 'https' ? 443 : 80);
  return fc
    .record({
      scheme: fc.constantFrom(scheme, scheme.toUpperCase()),
      host: fc.constantFrom(...(hosts[host] ?? [])),
      port: fc.constantFrom(`:${port}`, ...(isDefault ? [''] : [])),
      path: fc.constantFrom(...paths),
      resolver: fc.constantFrom(...(resolvers[resolver] ?? [])),
      saysTls: fc.boolean(),
    })
    .map((said) => ({
      target: `${said.scheme}://${said.host}${said.port}${said.path}`,
      config: {
        ...(said.resolver === undefined ? {} : { resolver: said.resolver }),
        ...(verifiesTls && !said.saysTls ? {} : { verify_tls: verifiesTls }),
      },
    }));
}

/** Names of the parts that differ, as secret bindings name them. */
export function differences(a: Destination, b: Destination): string[] {
  const names = { scheme: 'scheme', host: 'host', port: 'port', resolver: 'resolver', verifiesTls: 'verify_tls' };
  return Object.entries(names).flatMap(([part, name]) =>
    a[part as keyof Destination] === b[part as keyof Destination] ? [] : [name],
  );
}
