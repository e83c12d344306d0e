import type { X509Certificate } from 'node:crypto';
import { connect } from 'node:tls';
import { abortable } from '../net/abortable.js';
import { dialStep } from './dial-step.js';
import { type LinkWay, openStream } from './link-way.js';

/**
 * Certificate that the server of a https URL shows, trusted or not, over a connection of its own on which nothing is
 * sent; null: none. @throws the reason why there is no connection
 */
export async function shownCertificate(url: URL, way: LinkWay, signal: AbortSignal): Promise<X509Certificate | null> {
  const plain = new URL(`http://${url.hostname}:${url.port || '443'}`);
  const { clock } = way;
  const socket = await openStream(plain, { ...way, tlsPins: [] }, signal);
  const servername = /[:]|^[\d.]+$/.test(url.hostname) ? '' : url.hostname;
  try {
    return await dialStep({ what: 'TLS', clock, signal }, (within) =>
      abortable(within, ({ resolve, reject }) => {
        const stream = connect({ socket, servername, rejectUnauthorized: false });
        stream.once('secureConnect', () => resolve(stream.getPeerX509Certificate() ?? null)).once('error', reject);
        return () => stream.destroy();
      }),
    );
  } finally {
    socket.destroy();
  }
}
