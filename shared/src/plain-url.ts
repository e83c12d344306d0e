import { isIPv4 } from 'node:net';

/** True if others on the network can read and change what is sent to a URL: plain http to another machine. */
export function isPlainUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !isLoopbackHost(hostname);
}

/** True if a name or address cannot leave this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291). */
function isLoopbackHost(hostname: string): boolean {
  if (isIPv4(hostname)) return hostname.startsWith('127.');
  return hostname === '[::1]' || hostname === 'localhost' || hostname.endsWith('.localhost');
}
