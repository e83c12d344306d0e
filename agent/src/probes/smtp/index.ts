import type { ProbeErrorCode } from '@vantage/shared/probe-types/error-codes.js';
import type { ProbeResults, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import { isImplicitTlsPort, smtpPort } from '@vantage/shared/probe-types/smtp.js';
import { roundMs } from '@vantage/shared/probe-types/statistics.js';
import { targetHost } from '@vantage/shared/target-policy/spec.js';
import { ConnectFailure, connectTcp } from '../../net/connect.js';
import { within } from '../../net/deadline.js';
import { OldServersContext } from '../../net/tls/old-servers.js';
import type { ProbeContext, ProbeEngine } from '../engine.js';
import { ProbeFailure, refusing, toProbeError } from '../failure.js';
import { holdSession } from './session.js';
import { type Phase, Visit } from './visit.js';

type SmtpSpec = ProbeSpecs['smtp'];
type SmtpResult = ProbeResults['smtp'];

/** Error code for a deadline that passed in each phase. */
const timeoutCodes: Readonly<Record<Phase, ProbeErrorCode>> = {
  dns: 'dns_timeout',
  tcp: 'tcp_timeout',
  session: 'timeout',
};

export interface SmtpEngineOptions {
  /** PEM, in place of the public roots. */
  readonly trustedCertificates?: readonly string[];
  /** Decides which ports speak TLS from the first byte; default 465 alone. */
  readonly isImplicitTls?: (port: number) => boolean;
}

/** Greets a mail server, and goes as far as a sender would before it has mail to deliver. */
export class SmtpEngine implements ProbeEngine<'smtp'> {
  /** A handshake is likely; only those who forbid it are sure to do without. */
  readonly load = { units: ({ params }: SmtpSpec) => (params.starttls === 'never' ? 1 : 4) };
  readonly #tls: OldServersContext;
  readonly #isImplicitTls: (port: number) => boolean;

  constructor({ trustedCertificates, isImplicitTls = isImplicitTlsPort }: SmtpEngineOptions = {}) {
    this.#tls = new OldServersContext(trustedCertificates);
    this.#isImplicitTls = isImplicitTls;
  }

  async run(spec: SmtpSpec, context: ProbeContext): Promise<SmtpResult> {
    const visit = new Visit();
    const limit = {
      clock: context.clock,
      ms: spec.params.timeout_ms,
      reason: () => new ProbeFailure('timeout', `the session did not end within ${spec.params.timeout_ms} ms`),
    };
    try {
      await within(limit, context.signal, (signal) => this.#visit(spec, { ...context, signal }, visit));
      return describe(visit, null);
    } catch (error) {
      if (!(error instanceof ProbeFailure)) throw error;
      return describe(visit, phaseFailure(error, visit.phase));
    }
  }

  async #visit(spec: SmtpSpec, context: ProbeContext, visit: Visit): Promise<void> {
    const { policy, resolver, signal, clock, userAgent } = context;
    const port = refusing(() => smtpPort(spec));
    const host = refusing(() => targetHost('smtp', spec));
    visit.port = port;
    const resolution = await resolver.resolve({ host, ipVersion: spec.params.ip_version, policy, signal });
    visit.dnsMs = resolution.ms;

    visit.phase = 'tcp';
    visit.address = resolution.addresses[0] ?? null;
    const { addresses } = resolution;
    const connection = await connectTcp({ addresses, port, signal, clock }).catch((error) => {
      if (error instanceof ConnectFailure) visit.address = error.address;
      throw error;
    });
    visit.address = connection.address;
    visit.tcpMs = connection.connectMs;

    visit.phase = 'session';
    await holdSession(connection.socket, visit, {
      host,
      params: spec.params,
      secureContext: () => this.#tls.get(),
      isImplicitTls: this.#isImplicitTls(port),
      signal,
      clock,
      userAgent,
    });
  }
}

/** The engine with the public roots. */
export const smtp = new SmtpEngine();

/** A deadline names the phase it ended. */
function phaseFailure(failure: ProbeFailure, phase: Phase): ProbeFailure {
  if (failure.code !== 'timeout') return failure;
  return new ProbeFailure(timeoutCodes[phase], failure.message, { cause: failure });
}

function describe(visit: Visit, failure: ProbeFailure | null): SmtpResult {
  const { address, port, banner, ehlo, ehloBeforeTls, tls } = visit;
  return {
    success: failure === null,
    error: failure === null ? null : toProbeError(failure),
    resolved_ip: address?.address ?? null,
    ip_version: address?.family ?? null,
    port,
    banner,
    ehlo: [...ehlo],
    ...(ehloBeforeTls === null ? {} : { ehlo_before_tls: [...ehloBeforeTls] }),
    starttls: { offered: visit.isStarttlsOffered, asked: visit.isStarttlsAsked, done: visit.isStarttlsDone },
    tls,
    timing: {
      dns_ms: roundMs(visit.dnsMs),
      tcp_ms: roundMs(visit.tcpMs),
      banner_ms: roundMs(visit.bannerMs),
      ehlo_ms: roundMs(visit.ehloMs),
      tls_ms: roundMs(visit.tlsMs),
    },
  };
}
