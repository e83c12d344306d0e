import type { X509Certificate } from 'node:crypto';
import { get } from 'node:http';
import type { Duplex } from 'node:stream';
import { readHttpDate } from '@vantage/shared/headers/http-date.js';
import { isUntrusted, isWithoutTls } from '@vantage/shared/tls-failures.js';
import { WrongPinError } from '../identity/tls-pins.js';
import { type LinkWay, openStream } from './link-way.js';
import { shownCertificate } from './shown-certificate.js';

const TIMEOUT_MS = 5000;

/** One response of the control plane. */
export interface ControlPlaneAnswer {
  readonly status: number;
  /** Value of its Date header, milliseconds since the epoch, whole seconds; null if there is none. */
  readonly dateMs: number | null;
}

/** The control plane shows a certificate that this machine does not trust. */
export class UntrustedCertificateError extends Error {
  override readonly name = 'UntrustedCertificateError';

  constructor(
    cause: NodeJS.ErrnoException,
    /** Null: it could not be read. */
    readonly certificate: X509Certificate | null,
  ) {
    super(reasonOf(cause), { cause });
  }
}

/** Requests a URL once, over a fresh connection that takes the path of the link. */
export function askControlPlane(controlUrl: string, way: LinkWay): Promise<ControlPlaneAnswer | Error> {
  const url = new URL(controlUrl);
  const giveUp = new AbortController();
  const { signal } = giveUp;
  const cancelTimer = way.clock.after(TIMEOUT_MS, () => giveUp.abort());
  return new Promise((resolve) => {
    const createConnection = (_options: unknown, onCreate: (error: Error | null, stream: Duplex) => void) => {
      openStream(url, way, signal).then((stream) => onCreate(null, stream), fail);
      return null;
    };
    const fail = (error: NodeJS.ErrnoException) => {
      request.destroy();
      if (error instanceof WrongPinError) return resolve(error);
      if (isUntrusted(error)) return resolve(explainUntrusted(url, way, error));
      if (isWithoutTls(error)) return resolve(new Error('responds without TLS: its URL is http'));
      resolve(new Error(signal.aborted ? `no response within ${TIMEOUT_MS / 1000} s` : reasonOf(error)));
    };
    const path = `${url.pathname.replace(/\/+$/, '')}/healthz`;
    const request = get({ path, headers: { host: url.host }, createConnection, signal }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, dateMs: readHttpDate(response.headers.date ?? '') });
    });
    request.on('error', fail).on('close', cancelTimer);
  });
}

async function explainUntrusted(url: URL, way: LinkWay, cause: NodeJS.ErrnoException): Promise<Error> {
  const certificate = await shownCertificate(url, way, new AbortController().signal).catch(() => null);
  return new UntrustedCertificateError(cause, certificate);
}

function reasonOf({ message, code }: NodeJS.ErrnoException): string {
  return message || code || 'no connection';
}
