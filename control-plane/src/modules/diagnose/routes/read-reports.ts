import { Type } from 'typebox';
import { pageOf, pageQuery, pagination } from '../../../http/pagination.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { ListedReportSchema, ReportSchema, SectionEventSchema } from '../schema.js';

const tag = 'Diagnose';
const auth = { kind: 'public', scope: 'probe:read' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64, description: 'Report id.' }) });

export const getReport = defineRoute({
  operationId: 'getDiagnoseReport',
  method: 'GET',
  path: '/v1/diagnose/{id}',
  summary: 'Get a diagnose report',
  description:
    'A running report has the sections that have ended so far. With `wait`, the response is sent when the report has ended, or after that number of seconds with its state at that time. A report that was created without credentials is readable by everyone who has its id, one of an account only by that account; while it is shared, everyone who has the link can read its page. Test keys read only reports that test keys created.',
  tag,
  auth,
  params,
  query: Type.Object({
    wait: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 30,
        description: 'Longest time to wait for the end of the report, in seconds.',
      }),
    ),
  }),
  replies: { 200: ReportSchema },
  errors: ['NOT_FOUND'],
  limit: (search) => (/(?:^|&)wait=/.test(search) ? 'poll' : 'standard'),
  async handle({ params: { id }, query: { wait }, account, locale, signal }, { diagnose }) {
    const reader = { viewer: viewerOf(account), locale };
    const found =
      wait === undefined
        ? await diagnose.get(id, reader)
        : await diagnose.waitFor(id, reader, { seconds: wait, signal });
    return { status: 200, data: found };
  },
});

export const streamReport = defineRoute({
  operationId: 'streamDiagnoseReport',
  method: 'GET',
  path: '/v1/diagnose/{id}/events',
  summary: 'Stream the sections of a diagnose report',
  description:
    'Server-Sent Events: one `diagnose.section` for each section when it has ended, whose id is the name of the section, then `diagnose.done` with the whole report. Then the stream ends.',
  tag,
  auth,
  params,
  replies: { 200: Type.Union([SectionEventSchema, ReportSchema]) },
  replyKind: 'events',
  errors: ['NOT_FOUND'],
  limit: 'poll',
  async handle({ params: { id }, account, locale, signal }, { diagnose }) {
    const reader = { viewer: viewerOf(account), locale };
    return { status: 200, events: await diagnose.events(id, reader, signal) };
  },
});

export const listReports = defineRoute({
  operationId: 'listDiagnoseReports',
  method: 'GET',
  path: '/v1/diagnose',
  summary: 'List your diagnose reports',
  description:
    'Reports of the last 30 days, newest first, without their sections. Test keys list only reports that test keys created.',
  tag,
  auth: { kind: 'scope', scope: 'probe:read' },
  query: Type.Object({ ...pageQuery }),
  replies: { 200: Type.Object({ items: Type.Array(ListedReportSchema) }) },
  errors: ['VALIDATION_FAILED'],
  async handle({ query, account }, { diagnose }) {
    const page = pageOf(query);
    const { items, total } = await diagnose.list(account.owner, page);
    return { status: 200, data: { items }, pagination: pagination(page, total) };
  },
});
