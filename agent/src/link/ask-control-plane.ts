import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';

const TIMEOUT_MS = 5000;

/** What one answer of the control plane told. */
export interface ControlPlaneAnswer {
  readonly status: number;
  /** Its Date header, milliseconds since the epoch, whole seconds; null: none. */
  readonly dateMs: number | null;
}

/** Asks for a URL once, over a fresh connection, straight. */
export function askControlPlane(url: string, bindAddress: string | null): Promise<ControlPlaneAnswer | Error> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  const options = { timeout: TIMEOUT_MS, agent: false, ...(bindAddress === null ? {} : { localAddress: bindAddress }) };
  return new Promise((resolve) => {
    const request = get(`${url.replace(/\/+$/, '')}/healthz`, options, (response) => {
      response.resume();
      const dateMs = Date.parse(response.headers.date ?? '');
      resolve({ status: response.statusCode ?? 0, dateMs: Number.isNaN(dateMs) ? null : dateMs });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS / 1000} s`)));
    request.on('error', (error) =>
      resolve(new Error(error.message || (error as NodeJS.ErrnoException).code || 'no connection')),
    );
  });
}
