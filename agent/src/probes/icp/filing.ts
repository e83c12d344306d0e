import type { IcpFiling } from '@vantage/shared/probe-types/icp.js';
import { parseHttpUrl } from '@vantage/shared/target-policy/url.js';

const MAX_NUMBER = 100;
const MAX_TEXT = 200;
const MAX_URL = 2000;

/** Filing in a document of a source; null where the document says that there is none, undefined where it says nothing. */
export function readFiling(value: unknown): IcpFiling | null | undefined {
  const body = isObject(value) && isObject(value['data']) ? value['data'] : value;
  if (!isObject(body) || !('icp_number' in body)) return undefined;
  const { icp_number: icpNumber } = body;
  if (icpNumber === null || icpNumber === '') return null;
  if (typeof icpNumber !== 'string' || icpNumber.length > MAX_NUMBER) return undefined;
  return {
    icp_number: icpNumber,
    company: textOf(body['company']),
    type: textOf(body['type']),
    license_type: textOf(body['license_type']),
    filed_at: dayOf(body['filed_at']),
    inquiry_url: pageOf(body['inquiry_url']),
  };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, MAX_TEXT) : null;
}

/** The day of a date or instant, as it is written: sources mean that of China. */
function dayOf(value: unknown): string | null {
  const [, day = ''] = /^(\d{4}-\d{2}-\d{2})(?:[T ]|$)/.exec(typeof value === 'string' ? value.trim() : '') ?? [];
  const atMs = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(day) ? day : null;
}

function pageOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL) return null;
  try {
    return parseHttpUrl(value).url.href;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
