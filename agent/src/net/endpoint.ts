import { parseHostPort } from '@vantage/shared/target-policy/host.js';

/** One end of a connection. */
export interface Endpoint {
  readonly address: string;
  readonly port: number;
}

/** Endpoint as people write it: `192.0.2.1:80`, `[2001:db8::1]:80`. */
export function formatEndpoint({ address, port }: Endpoint): string {
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** Parses the output of `formatEndpoint`. @throws RangeError for anything else */
export function parseEndpoint(text: string): Endpoint {
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(text);
  const address = match?.[1] ?? match?.[2];
  if (address === undefined) throw new RangeError(`"${text}" is not an address and port`);
  return { address, port: Number(match?.[3]) };
}

/** Parses what a person wrote: an address, alone or with a port, IPv6 before a port in brackets; null for anything else. */
export function findEndpoint(text: string, defaultPort: number): Endpoint | null {
  try {
    const { host, port } = parseHostPort(text);
    return host.kind === 'address' ? { address: host.address, port: port ?? defaultPort } : null;
  } catch {
    return null;
  }
}
