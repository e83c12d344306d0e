import { checkRequestHeaders } from '@vantage/shared/target-policy/headers.js';
import { TargetError } from '@vantage/shared/target-policy/target-error.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';
import type { Outbound } from '../../../deliver/index.js';
import { ApiError } from '../../../http/errors.js';
import type { HeaderValues } from './endpoint-seals.js';
import { MASK } from './schema.js';

/** Headers that the service writes itself, in addition to those that frame a request. */
const ownHeaders: ReadonlySet<string> = new Set([
  'content-type',
  'content-encoding',
  'accept-encoding',
  'user-agent',
  'webhook-id',
  'webhook-timestamp',
  'webhook-signature',
]);

/** Checks the URL of an endpoint. @throws ApiError VALIDATION_FAILED: 422 if the target policy refuses it, else 400 */
export function checkUrl(outbound: Pick<Outbound, 'check'>, url: string): void {
  asApiError(() => outbound.check(url, 'url'));
}

/** Checks headers of an endpoint. @throws ApiError VALIDATION_FAILED */
export function checkHeaders(headers: HeaderValues): void {
  const own = Object.keys(headers).find((name) => ownHeaders.has(name.toLowerCase()));
  if (own !== undefined) {
    const complaint = { code: 'refused' as const, message: 'is set by the service' };
    throw new ApiError('VALIDATION_FAILED', { status: 422, details: { [`headers.${own}`]: [complaint] } });
  }
  asApiError(() => checkRequestHeaders(headers));
}

/**
 * Headers after a change: values that are sent as asterisks are kept, if the requests go to the same server as before.
 * @throws ApiError VALIDATION_FAILED
 */
export function mergeHeaders(
  sent: HeaderValues | undefined,
  before: HeaderValues,
  { isOtherServer }: { readonly isOtherServer: boolean },
): HeaderValues {
  const wanted = sent ?? Object.fromEntries(Object.keys(before).map((name) => [name, MASK]));
  const merged = Object.entries(wanted).map(([name, value]) => {
    if (value !== MASK) return [name, value] as const;
    const kept = before[name];
    if (kept === undefined) throw refusedHeader(name, 400, 'has no stored value: send the value itself');
    if (isOtherServer) throw refusedHeader(name, 422, 'must be sent again: the URL leads to another server');
    return [name, kept] as const;
  });
  return Object.fromEntries(merged);
}

/** True if two URLs lead to different servers. */
export function isOtherServer(a: string, b: string): boolean {
  return parseHttpUrl(a).url.origin !== parseHttpUrl(b).url.origin;
}

function refusedHeader(name: string, status: number, message: string): ApiError {
  const code = status === 422 ? ('refused' as const) : ('required' as const);
  return new ApiError('VALIDATION_FAILED', { status, details: { [`headers.${name}`]: [{ code, message }] } });
}

function asApiError(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof TargetError)) throw error;
    const { kind, code, message } = error;
    const field = error.field.replace(/^params\./, '');
    const status = kind === 'refused' ? 422 : 400;
    throw new ApiError('VALIDATION_FAILED', { status, details: { [field]: [{ code, message }] } });
  }
}
