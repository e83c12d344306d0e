import { type Static, Type } from 'typebox';
import type { ProbeResults, ProbeSpecs } from '../probe-types/index.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';

const Config = Type.Object(
  {
    timeout_ms: Type.Integer({ minimum: 1000, maximum: 30_000, default: 10_000, description: 'Over everything.' }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function judge(result: ProbeResults['http']): CheckJudgment {
  const { error, response_ms: responseMs, status_code: statusCode } = result;
  const isAccepted = statusCode !== null && statusCode >= 200 && statusCode < 300;
  if (error === null && isAccepted) return { outcome: 'ok', responseMs, statusCode, error: null };
  const why = error ?? { code: 'assertion_failed' as const, message: `status ${statusCode}` };
  return { outcome: 'failed', responseMs, statusCode, error: why };
}

/** An HTTP or HTTPS request. */
export const http = {
  type: 'http',
  title: 'HTTP',
  summary: 'An HTTP or HTTPS request',
  probeType: 'http',
  capability: null,
  Config,
  secrets: [],
  defaultIntervalSeconds: null,
  exampleTarget: 'https://example.com/',
  toSpec: (target: string, { timeout_ms }: Config): ProbeSpecs['http'] => ({
    target,
    params: {
      method: 'GET',
      headers: {},
      follow_redirects: true,
      max_redirects: 5,
      ip_version: 'auto',
      http_version: 'auto',
      verify_tls: true,
      timeout_ms,
    },
  }),
  judge,
} satisfies MonitorTypeDefinition<typeof Config, 'http'>;
