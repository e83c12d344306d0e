import { until } from '@vantage/shared/_support/until.js';
import type { MeasurementType, ProbeSpecs } from '@vantage/shared/probe-types/index.js';
import type { Test } from 'tap';
import { joinNode, type LookupWorld } from './lookup-world.js';
import { type PeerAgent, successOf } from './peer-agent.js';
import type { ApiAnswer, TestApi } from './stack.js';

/** A job as the node of a test sees it. */
export interface ReportJob {
  readonly type: MeasurementType;
  readonly spec: ProbeSpecs['http'];
  /** True if the job belongs to the question for headers. */
  readonly isAboutHeaders: boolean;
}

/** Fields of a result in addition to those of a success without any measurement; null if the job is not answered. */
export type Respond = (job: ReportJob) => object | null;

const headerLines = [
  { name: 'strict-transport-security', value: 'max-age=31536000' },
  { name: 'content-type', value: 'text/html' },
];

/** Results of a site without a fault. */
export const flawless: Respond = ({ type, spec, isAboutHeaders }) => {
  const page = { status_code: 200, response_ms: 90, http_version: '2', final_url: spec.target };
  const results: Readonly<Record<string, object>> = {
    http: isAboutHeaders ? { ...page, header_lines: headerLines } : page,
    ssl: { grade: 'A+', valid: true },
    dns: {
      rcode: 'NOERROR',
      query_ms: 9,
      transport: 'udp',
      records: [{ name: 'example.com', type: 'A', class: 'IN', ttl: 60, value: '93.184.215.14' }],
    },
    ping: { packets_sent: 4, packets_received: 4 },
    traceroute: { reached: true },
    zone_audit: { domain: 'example.com' },
  };
  return results[type] ?? {};
};

/** A failed result. */
export function failure(code: string, message: string = code): object {
  return { success: false, error: { code, message } };
}

/** A public node of the administrator that answers each job by `respond`, also one that it left unanswered before. */
export async function joinReportNode(
  t: Test,
  world: LookupWorld,
  respond: Respond,
  { api = world.apis[0], tags = [] }: { readonly api?: TestApi; readonly tags?: readonly string[] } = {},
): Promise<PeerAgent> {
  const peer = await joinNode(t, world, { api, tags });
  const answered = new Set<string>();
  const answer = () => {
    if (!peer.isOpen) return;
    for (const { job } of peer.frames) {
      if (!job || answered.has(job.taskId)) continue;
      const spec = JSON.parse(Buffer.from(job.specJson).toString());
      const type = job.probeType as MeasurementType;
      const fields = respond({ type, spec, isAboutHeaders: spec.keeps_header_lines === true });
      if (fields === null) continue;
      answered.add(job.taskId);
      const success = successOf(job.taskId, type, job.specJson);
      const result = { ...JSON.parse(Buffer.from(success.resultJson as Uint8Array).toString()), ...fields };
      peer.sendResults([{ ...success, resultJson: Buffer.from(JSON.stringify(result)) }]);
    }
  };
  const timer = setInterval(answer, 10);
  t.teardown(() => clearInterval(timer));
  return peer;
}

/** Creates a report, and returns it as it begins. @throws Error with the response if it is refused */
export async function createReport(
  api: TestApi,
  body: object,
  as: string | null = api.token,
): Promise<ApiAnswer['body']> {
  const answer = await api.call('POST', '/v1/diagnose', { body, as });
  if (answer.status !== 202) throw new Error(`refused with ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

/** The report once it has ended. */
export async function endedReport(api: TestApi, id: string, as: string | null = api.token): Promise<ApiAnswer['body']> {
  let report: ApiAnswer['body'] = null;
  await until(`the end of report ${id}`, async () => {
    const { body } = await api.call('GET', `/v1/diagnose/${id}?wait=30`, { as });
    report = body.data;
    return report.status !== 'running';
  });
  return report;
}
