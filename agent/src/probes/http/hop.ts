import type { TlsReport } from '@vantage/shared/probe-types/tls-report.js';
import type { ResolvedAddress } from '../../net/resolved-address.js';
import { BodyBytes } from './body-bytes.js';
import { fieldValues } from './field-values.js';
import { MAX_READ_BYTES } from './limits.js';

/** Current phase of a hop; decides the error code at the deadline. */
export type Phase = 'dns' | 'tcp' | 'tls' | 'http';

/**
 * One request and its answer, as far as it has come. Filled in while it happens, so that a hop that fails or is
 * aborted still shows what was measured. Milliseconds are monotonic; null is what did not happen.
 */
export class Hop {
  phase: Phase = 'dns';
  dnsMs: number | null = null;
  tcpMs: number | null = null;
  tlsMs: number | null = null;
  ttfbMs: number | null = null;
  downloadMs: number | null = null;
  /** Monotonic instant of the answer's first byte. */
  firstByteAt: number | null = null;
  /** Monotonic instant of the last byte that was read. */
  completedAt: number | null = null;
  /** The address contacted, or tried last. */
  address: ResolvedAddress | null = null;
  tls: TlsReport | null = null;
  statusCode: number | null = null;
  httpVersion: string | null = null;
  /** By their names in lower case, as `combineFields` has them. */
  headers: Record<string, string> = {};
  /** Names and values in turn, as they arrived. */
  rawHeaders: readonly string[] = [];
  /** The body as it travelled, without the framing. */
  readonly body: BodyBytes;
  /** True if there was more than `maxBodyBytes`. */
  isCut = false;

  /** Content-Type headers, joined by comma; undefined if there are none. */
  get contentType(): string | undefined {
    const lines = fieldValues(this.rawHeaders, 'content-type');
    return lines.length === 0 ? undefined : lines.join(', ');
  }

  constructor(
    readonly url: string,
    maxBodyBytes = MAX_READ_BYTES,
  ) {
    this.body = new BodyBytes(maxBodyBytes);
  }
}
