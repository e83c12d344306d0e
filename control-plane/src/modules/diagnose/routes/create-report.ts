import { defineRoute } from '../../../http/route.js';
import { DiagnoseBodySchema, ReportSchema } from '../schema.js';

export const createReport = defineRoute({
  operationId: 'createDiagnoseReport',
  method: 'POST',
  path: '/v1/diagnose',
  summary: 'Create a diagnose report',
  description:
    'Asynchronous: get the report at GET /v1/diagnose/{id}, or stream its sections. Each section but security_headers is a probe task on each node; the zone is audited and the headers are read by one node each. A report takes one node test for each of these, all of them before anything runs, and returns those that did not run; a request for more than 60 is refused with the number of nodes that its scope leaves room for. Nodes are chosen as for probes; of a selection, nodes that can run all sections come first. What is not done after 60 seconds is left out. Reports are kept for 30 days, without credentials for 7.',
  tag: 'Diagnose',
  auth: { kind: 'public', scope: 'probe' },
  isOpenToUnverified: true,
  body: DiagnoseBodySchema,
  bodyExample: { target: 'example.com', scope: ['dns', 'ping'], nodes: { countries: ['DE', 'US'], limit: 3 } },
  replies: { 202: ReportSchema },
  errors: [
    'VALIDATION_FAILED',
    'PROBE_TARGET_INVALID',
    'NODE_NOT_FOUND',
    'NODE_OFFLINE',
    'QUOTA_EXCEEDED',
    'DIAGNOSE_REPORT_TOO_LONG',
    'ACCOUNT_DELETED',
  ],
  async handle(request, { diagnose }) {
    return { status: 202, data: await diagnose.create(request.body, request) };
  },
});
