import { Type } from 'typebox';
import { actorOf } from '../../../audit-log/actor.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { ReportSchema } from '../schema.js';

const tag = 'Diagnose';
const auth = { kind: 'scope', scope: 'probe' } as const;
const params = Type.Object({ id: Type.String({ maxLength: 64, description: 'Report id.' }) });

export const changeReport = defineRoute({
  operationId: 'updateDiagnoseReport',
  method: 'PATCH',
  path: '/v1/diagnose/{id}',
  summary: 'Share a diagnose report',
  description:
    'While a report is shared, everyone who has its link can read its page, and the page as JSON and as Markdown.',
  tag,
  auth,
  isOpenToUnverified: true,
  params,
  body: Type.Object(
    { shared: Type.Boolean({ description: 'True if everyone with the link may read the page of the report.' }) },
    { additionalProperties: false },
  ),
  bodyExample: { shared: true },
  replies: { 200: ReportSchema },
  errors: ['NOT_FOUND'],
  async handle(request, { diagnose }) {
    const { id } = request.params;
    const { account, locale } = request;
    await diagnose.share(id, request.body.shared, { owner: account.owner, actor: actorOf(request) });
    return { status: 200, data: await diagnose.get(id, { viewer: viewerOf(account), locale }) };
  },
});

export const deleteReport = defineRoute({
  operationId: 'deleteDiagnoseReport',
  method: 'DELETE',
  path: '/v1/diagnose/{id}',
  summary: 'Delete a diagnose report',
  description:
    'The page of the report is gone at once. Node tests of tasks that have not begun are returned; its probe tasks remain readable.',
  tag,
  auth,
  isOpenToUnverified: true,
  params,
  replies: { 200: Type.Null() },
  errors: ['NOT_FOUND'],
  async handle(request, { diagnose }) {
    await diagnose.delete(request.params.id, { owner: request.account.owner, actor: actorOf(request) });
    return { status: 200, data: null };
  },
});
