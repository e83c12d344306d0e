import { type Static, Type } from 'typebox';
import type { ProbeResults, ProbeSpecs } from '../probe-types/index.js';
import type { CheckJudgment, MonitorTypeDefinition } from './definition.js';

const Config = Type.Object(
  {
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, description: 'Unless the target names it.' })),
    timeout_ms: Type.Integer({ minimum: 100, maximum: 30_000, default: 5000, description: 'Over the connect.' }),
  },
  { additionalProperties: false },
);
type Config = Static<typeof Config>;

function judge({ error, connect_ms: responseMs }: ProbeResults['tcp']): CheckJudgment {
  if (error === null) return { outcome: 'ok', responseMs, statusCode: null, error: null };
  return { outcome: 'failed', responseMs, statusCode: null, error };
}

/** A TCP connect. */
export const tcp = {
  type: 'tcp',
  title: 'TCP',
  summary: 'A TCP connect to a port',
  probeType: 'tcp',
  capability: null,
  Config,
  secrets: [],
  defaultIntervalSeconds: null,
  exampleTarget: 'example.com:443',
  toSpec: (target: string, { port, timeout_ms }: Config): ProbeSpecs['tcp'] => ({
    target,
    params: { ...(port === undefined ? {} : { port }), timeout_ms, ip_version: 'auto', count: 1, banner: false },
  }),
  judge,
} satisfies MonitorTypeDefinition<typeof Config, 'tcp'>;
