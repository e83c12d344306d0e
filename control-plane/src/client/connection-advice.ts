import { connect } from 'node:tls';
import { isUntrusted, isWithoutTls, untrustedText } from '@vantage/shared/tls-failures.js';

/** Longest time to find out if a port speaks TLS, in milliseconds. */
const PATIENCE_MS = 2_000;

/**
 * Advice where the port of an address speaks the other protocol than its scheme says, `this port speaks TLS: use https://…`, or has a
 * certificate that is not trusted; else null. `error`: failure of a request to the address.
 */
export async function connectionAdvice(address: string, error: Error): Promise<string | null> {
  const { cause } = error;
  if (cause instanceof Error && isUntrusted(cause)) return untrustedText(address, cause.message);
  const { protocol, host, hostname, port } = new URL(address);
  if (protocol === 'https:') return isWithoutTls(cause) ? `this port does not speak TLS: use http://${host}` : null;
  const isTls = await speaksTls(hostname.replace(/^\[|\]$/g, ''), Number(port || 80));
  return isTls ? `this port speaks TLS: use https://${host}` : null;
}

function speaksTls(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: PATIENCE_MS });
    const end = (isTls: boolean) => {
      socket.destroy();
      resolve(isTls);
    };
    socket.once('secureConnect', () => end(true));
    socket.on('error', () => end(false));
    socket.once('timeout', () => end(false));
    socket.once('close', () => end(false));
  });
}
