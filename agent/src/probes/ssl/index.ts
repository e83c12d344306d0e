import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { ssl as definition, sslPort, sslServerName } from '@vantage/shared/probe-types/ssl.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { ConnectFailure, connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import { knownRoots } from '../../net/tls/known-roots.js';
import { Roots } from '../../net/tls/roots.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { Audit, Observations } from './audit.js';
import { AuditContexts } from './contexts.js';
import { describeProtocols, judgeServer } from './report.js';

type SslSpec = ProbeSpecs['ssl'];
type SslResult = ProbeResults['ssl'];

/**
 * Audits a TLS server: one handshake as any client makes it, one for each other version, and hellos by hand for what
 * OpenSSL cannot offer; all to the one address that was judged. Having seen the certificate is success, whatever it
 * and the server are worth.
 */
export class SslEngine implements ProbeEngine<'ssl'> {
  /** Three handshakes at a time. */
  readonly load = { units: () => 12 };
  readonly #contexts: AuditContexts;
  readonly #roots: Roots;

  /** `trustedCertificates` (PEM) stand in for the public roots and those of NODE_EXTRA_CA_CERTS. */
  constructor(options: { readonly trustedCertificates?: readonly string[] } = {}) {
    this.#contexts = new AuditContexts(options.trustedCertificates);
    this.#roots = options.trustedCertificates === undefined ? knownRoots() : new Roots(options.trustedCertificates);
  }

  async run(spec: SslSpec, context: ProbeContext): Promise<SslResult> {
    const seen = new Observations();
    const { timeout_ms: ms } = spec.params;
    const reason = () => new ProbeFailure('timeout', `the audit took longer than ${ms} ms`);
    try {
      await within({ clock: context.clock, ms, reason }, context.signal, (signal) =>
        this.#audit(spec, { ...context, signal }, seen),
      );
      return this.#describe(spec, seen, context, null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return this.#describe(spec, seen, context, error);
    }
  }

  async #audit(spec: SslSpec, context: ProbeContext, seen: Observations): Promise<void> {
    const { policy, resolver, signal, clock } = context;
    const port = refusing(() => sslPort(spec));
    const serverName = refusing(() => sslServerName(spec));
    const host = refusing(() => targetHost('ssl', spec));
    const resolution = await resolver.resolve({ host, ipVersion: spec.params.ip_version, policy, signal });
    seen.dnsMs = resolution.ms;
    seen.address = resolution.addresses[0] ?? null;
    const { addresses } = resolution;
    const connection = await connectTcp({ addresses, port, signal, clock }).catch((error) => {
      if (error instanceof ConnectFailure) seen.address = error.address;
      throw error;
    });
    const { socket, address } = connection;
    seen.address = address;
    seen.tcpMs = connection.connectMs;
    await new Audit({ address, port, serverName, contexts: this.#contexts }, { signal, clock }, seen).run(socket);
  }

  /** An audit whose own time is over keeps what it has; one that is called off has failed. */
  #describe(spec: SslSpec, seen: Observations, context: ProbeContext, failure: ProbeFailure | null): SslResult {
    const blank = definition.blank(spec);
    const serverName = failure?.code === 'target_not_allowed' ? null : sslServerName(spec);
    const judged =
      serverName === null ? null : judgeServer(seen, { serverName, roots: this.#roots, now: context.clock.now() });
    const isEnough = judged !== null && !context.signal.aborted;
    const error = isEnough
      ? null
      : (failure ?? new ProbeFailure('tls_handshake', 'the server presented no certificate'));
    return {
      success: error === null,
      error: error === null ? null : toProbeError(error),
      ...blank,
      resolved_ip: seen.address?.address ?? null,
      ip_version: seen.address?.family ?? null,
      port: seen.address === null ? null : sslPort(spec),
      ...(seen.tcpMs === null ? {} : describeProtocols(seen)),
      ...judged,
      timing: { dns_ms: roundMs(seen.dnsMs), tcp_ms: roundMs(seen.tcpMs), tls_ms: roundMs(seen.handshake?.ms ?? null) },
    };
  }
}

/** The engine with the public roots (and those of NODE_EXTRA_CA_CERTS). */
export const ssl = new SslEngine();
