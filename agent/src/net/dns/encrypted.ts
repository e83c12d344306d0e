import { startTls } from '../tls/handshake.js';
import { describeTls, verificationFailure } from '../tls/report.js';
import { askInTurns, type QuerySpec } from './ask.js';
import type { AskOptions, DnsReply, Progress } from './ask-options.js';
import { askHttp } from './doh.js';
import type { SecureServer } from './secure-server.js';
import { askStream, connectServer } from './stream.js';

/** Application protocols offered, best first (RFC 7301, RFC 8484 section 5.2, RFC 9539). */
const protocols = { dot: ['dot'], doh: ['h2', 'http/1.1'] } as const;

/**
 * Queries over a fresh TLS connection: DNS over TLS (RFC 7858) or DNS over HTTPS (RFC 8484).
 * @throws ProbeFailure tcp_*, tls_*, net_unreachable, host_unreachable, dns_error, http_protocol, body_too_large; or
 * the signal's reason
 */
export function askEncrypted(
  querySpec: QuerySpec,
  transport: 'dot' | 'doh',
  { server, progress, ...options }: AskOptions & { readonly server: SecureServer; readonly progress: Progress },
): Promise<DnsReply> {
  return askInTurns(querySpec, progress, async (query) => {
    const { signal, clock } = options;
    const { host, secureContext, endpoint } = server;
    let open = await connectServer(endpoint, options, progress);
    try {
      const tls = { host, secureContext, protocols: protocols[transport], signal, clock };
      const { socket, ms } = await startTls(open, tls);
      open = socket;
      progress.tlsMs = ms;
      progress.tls = describeTls(socket);
      const failure = server.isVerified ? verificationFailure(progress.tls) : null;
      if (failure !== null) throw failure;
      if (transport === 'dot') return await askStream(socket, query, { ...options, server: endpoint, transport });
      return await askHttp(socket, query, { ...options, server });
    } finally {
      open.destroy();
    }
  });
}
