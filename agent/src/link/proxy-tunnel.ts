import type { Socket } from 'node:net';
import { abortable } from '../net/abortable.js';

/** A head longer than this is no answer to CONNECT. */
const MAX_HEAD_BYTES = 8 * 1024;

/** The proxy on the way did not open a tunnel. */
export class ProxyRefusedError extends Error {
  override readonly name = 'ProxyRefusedError';
}

/** Destination of a tunnel: a name or address, without brackets, and a port. */
export interface TunnelTarget {
  readonly host: string;
  readonly port: number;
}

/**
 * Requests a tunnel from the HTTP proxy at the other end of `socket` (RFC 9110 section 9.3.6). Bytes after its
 * response belong to the target. Credentials are those of `proxyUrl`. @throws ProxyRefusedError, the socket's error,
 * or the signal's reason
 */
export function openTunnel(socket: Socket, proxyUrl: URL, target: TunnelTarget, signal: AbortSignal): Promise<void> {
  const authority = `${target.host.includes(':') ? `[${target.host}]` : target.host}:${target.port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, ...authorization(proxyUrl), '', ''];
  socket.write(lines.join('\r\n'));
  return abortable(signal, ({ resolve, reject }) => {
    let head = Buffer.alloc(0);
    const onReadable = () => {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) {
        head = Buffer.concat([head, chunk as Buffer]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0 && head.length <= MAX_HEAD_BYTES) continue;
        const status = end < 0 ? null : /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, end))?.[1];
        if (status?.[0] !== '2') return reject(new ProxyRefusedError(refusal(status)));
        if (head.length > end + 4) socket.unshift(head.subarray(end + 4));
        return resolve(undefined);
      }
    };
    const onClose = () => reject(new ProxyRefusedError('the proxy closed the connection without a response'));
    socket.on('readable', onReadable).once('close', onClose).once('error', reject);
    return (isResolved) => {
      socket.off('readable', onReadable).off('close', onClose).off('error', reject);
      if (!isResolved) socket.destroy();
    };
  });
}

function authorization({ username, password }: URL): string[] {
  if (username === '') return [];
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return [`Proxy-Authorization: Basic ${Buffer.from(credentials).toString('base64')}`];
}

function refusal(status: string | null | undefined): string {
  if (status === '407') return 'the proxy responded with 407: correct the credentials in VANTAGE_AGENT_PROXY';
  if (status) return `the proxy responded with ${status} instead of opening a tunnel`;
  return 'the proxy does not speak HTTP';
}
