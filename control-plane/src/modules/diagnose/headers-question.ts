import { isUnconnected } from '@vantage/shared/diagnose/judge-http.js';
import type { DiagnoseTarget } from '@vantage/shared/diagnose/target.js';
import { ApiError } from '../../http/errors.js';
import type { Lookups } from '../lookups/index.js';
import type { StoredHeaders } from './report-row.js';

/** Outcome if no node had an answer: it says nothing about the target. */
const unanswered: StoredHeaders = { nodeId: null, error: null, value: null, wasAsked: false };

/**
 * Asks for the headers of a target; null if the budget of the target has no room for it now. A target without a scheme is asked by
 * plain http where the node cannot connect or shake hands.
 */
export async function askHeaders(
  lookups: Pick<Lookups, 'askHeaders'>,
  { url, plainUrl }: DiagnoseTarget,
  signal: AbortSignal,
): Promise<StoredHeaders | null> {
  try {
    const first = await askUrl(lookups, url, signal);
    if (plainUrl === null || !isUnconnected(first.error)) return first;
    const second = await askUrl(lookups, plainUrl, signal);
    return { ...second, wasAsked: first.wasAsked || second.wasAsked };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.code === 'RATE_LIMIT_EXCEEDED' ? null : unanswered;
  }
}

async function askUrl(lookups: Pick<Lookups, 'askHeaders'>, url: string, signal: AbortSignal): Promise<StoredHeaders> {
  // texts of findings are added for the readers of the report
  const { data, cache } = await lookups.askHeaders(url, { locale: 'en', signal });
  const { error, findings, ...facts } = data;
  const codes = findings.map(({ code }) => code);
  return { nodeId: null, error, value: error === null ? { codes, facts } : null, wasAsked: cache?.hit !== true };
}
