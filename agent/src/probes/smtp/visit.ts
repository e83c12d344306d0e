import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';

/** Current phase of a visit; decides the error code at the deadline. */
export type Phase = 'dns' | 'tcp' | 'session';

/**
 * A visit to a mail server as far as it has come. Filled in while it happens, so that one that fails or is aborted
 * still shows what was measured. Milliseconds are monotonic; null is what did not happen.
 */
export class Visit {
  phase: Phase = 'dns';
  port: number | null = null;
  /** The address contacted, or tried last. */
  address: ResolvedAddress | null = null;
  dnsMs: number | null = null;
  tcpMs: number | null = null;
  bannerMs: number | null = null;
  ehloMs: number | null = null;
  tlsMs: number | null = null;
  banner: string | null = null;
  /** Lines of the last answer to EHLO. */
  ehlo: readonly string[] = [];
  /** EHLO lines before TLS, where a second EHLO followed over TLS. */
  ehloBeforeTls: readonly string[] | null = null;
  isStarttlsOffered: boolean | null = null;
  isStarttlsAsked = false;
  isStarttlsDone = false;
  tls: TlsReport | null = null;
}
