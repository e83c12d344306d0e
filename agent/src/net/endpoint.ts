/** One end of a connection. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** As people write it: `192.0.2.1:80`, `[2001:db8::1]:80`. */
export function formatEndpoint({ address, port }: Endpoint): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What `formatEndpoint` wrote. @throws RangeError for anything else */
export function parseEndpoint(text: string): Endpoint {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text);
  const address = match?.[1] ?? match?.[2];
  if (address === undefined) throw new RangeError(`"${text}" is not an address and port`);
  return { address, port: Number(match?.[3]) };
}
