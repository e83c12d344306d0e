import type { SecureContextOptions, TlsOptions } from 'node:tls';
import type { ProbeResults } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { SslEngine } from '../../src/probes/ssl/index.js';
import { startTlsServer } from './certificates.js';
import type { MadeCertificate } from './made-certificates.js';
import { aContext, aSpec } from './probe-context.js';

/** Audits a port of loopback as `site.example.com`, trusting `root` alone. */
export async function audit(
  port: number,
  root: MadeCertificate | string,
  parts: Parameters<typeof aContext>[0] = {},
  timeoutMs?: number,
): Promise<ProbeResults['ssl']> {
  const engine = new SslEngine({ trustedCertificates: [typeof root === 'string' ? root : root.cert] });
  const limit = timeoutMs === undefined ? {} : { timeout_ms: timeoutMs };
  const spec = aSpec('ssl', `127.0.0.1:${port}`, { server_name: 'site.example.com', ...limit });
  return engine.run(spec, aContext(parts));
}

/** TLS settings of a test's server, and what it sends in addition to its own certificate. */
export interface ServerWishes extends Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'ciphers' | 'dhparam'> {
  readonly chain?: readonly MadeCertificate[];
  readonly staple?: Buffer;
  readonly requestCert?: boolean;
}

/** Serves the certificate on a port of loopback until the test ends; old versions and weak keys are no obstacle. */
export async function serveCertificate(
  t: Test,
  leaf: MadeCertificate,
  { chain = [], staple, ...wishes }: ServerWishes = {},
): Promise<number> {
  const options: TlsOptions = {
    key: leaf.key,
    cert: [leaf, ...chain].map(({ cert }) => cert).join(''),
    ciphers: 'DEFAULT@SECLEVEL=0',
    minVersion: 'TLSv1.2',
    ...wishes,
  };
  const server = await startTlsServer(t, options, () => {}, staple);
  return server.port;
}
