import type { MeasureJob } from './child-messages.js';
import { failedRun } from './failed-run.js';
import { parseJson } from './parse-json.js';
import { ProbeSchemas } from './probe-schemas.js';

/** JSON text of an `internal` failure for a job no engine answered. `startedAt`: milliseconds since the epoch. */
export function failedRunJson(job: MeasureJob, message: string, startedAt: number): string {
  const request = { type: job.type, spec: parseJson(job.specJson) };
  return JSON.stringify(failedRun(new ProbeSchemas(), request, { code: 'internal', message }, startedAt));
}
