import { type Endpoint, formatEndpoint, parseEndpoint } from '../endpoint.js';
import type { DnsMessage } from './message.js';

/** A DNS server to ask. */
export interface DnsServer extends Endpoint {
  /**
   * Name of the server in messages, in place of its address. A server with a title is one of the node's own: other
   * users learn neither its address nor its own description.
   */
  readonly title?: string;
}

const OWN_TITLE = 'the node’s own resolver';

/** The node's own resolvers as servers to ask, from what `Resolver.servers` lists. */
export function ownServers(servers: readonly string[]): DnsServer[] {
  return servers.map((text) => ownServer(parseEndpoint(text)));
}

/** One of the node's own resolvers. */
export function ownServer({ address, port }: Endpoint): DnsServer {
  return { address, port, title: OWN_TITLE };
}

/** A server as messages name it. */
export function serverTitle(server: DnsServer): string {
  return server.title ?? `DNS server ${formatEndpoint(server)}`;
}

/**
 * A response of a server as far as strangers may read it: an own resolver's identity (RFC 5001) and its words about
 * errors (RFC 8914) name servers of the network it stands in.
 */
export function withoutIdentity(message: DnsMessage, { title }: DnsServer): DnsMessage {
  if (title === undefined) return message;
  const { edns, extendedErrors } = message;
  return {
    ...message,
    edns: edns && { ...edns, nsid: null },
    extendedErrors: extendedErrors.map(({ code }) => ({ code, text: '' })),
  };
}
