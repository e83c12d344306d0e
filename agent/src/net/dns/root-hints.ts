/** A name server by name, with the addresses that are known without a query. */
export interface NamedServer {
  readonly name: string;
  readonly addresses: readonly string[];
}

/** The servers of the root zone (https://www.iana.org/domains/root/servers, 2024). */
export const rootHints: readonly NamedServer[] = [
  { name: 'a.root-servers.net', addresses: ['198.41.0.4', '2001:503:ba3e::2:30'] },
  { name: 'b.root-servers.net', addresses: ['170.247.170.2', '2801:1b8:10::b'] },
  { name: 'c.root-servers.net', addresses: ['192.33.4.12', '2001:500:2::c'] },
  { name: 'd.root-servers.net', addresses: ['199.7.91.13', '2001:500:2d::d'] },
  { name: 'e.root-servers.net', addresses: ['192.203.230.10', '2001:500:a8::e'] },
  { name: 'f.root-servers.net', addresses: ['192.5.5.241', '2001:500:2f::f'] },
  { name: 'g.root-servers.net', addresses: ['192.112.36.4', '2001:500:12::d0d'] },
  { name: 'h.root-servers.net', addresses: ['198.97.190.53', '2001:500:1::53'] },
  { name: 'i.root-servers.net', addresses: ['192.36.148.17', '2001:7fe::53'] },
  { name: 'j.root-servers.net', addresses: ['192.58.128.30', '2001:503:c27::2:30'] },
  { name: 'k.root-servers.net', addresses: ['193.0.14.129', '2001:7fd::1'] },
  { name: 'l.root-servers.net', addresses: ['199.7.83.42', '2001:500:9f::42'] },
  { name: 'm.root-servers.net', addresses: ['202.12.27.33', '2001:dc3::35'] },
];

/** Servers of a private root, known by their addresses alone; the public ones where there is none. */
export function rootServersOf(addresses: readonly string[]): readonly NamedServer[] {
  return addresses.length === 0 ? rootHints : addresses.map((address) => ({ name: address, addresses: [address] }));
}
