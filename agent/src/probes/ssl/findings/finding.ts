import type { SslFindingCode } from '@vantage/shared/probe-types/ssl-findings.js';

/** One thing an audit complains of, with the particulars in words. */
export interface Complaint {
  readonly code: SslFindingCode;
  readonly message: string;
}

/** The complaint in a list if it applies, so that judges can be lists. */
export function when(applies: boolean, code: SslFindingCode, message: string): Complaint[] {
  return applies ? [{ code, message }] : [];
}
