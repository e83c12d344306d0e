import { isProbeType } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { fieldError } from '../../../http/errors.js';
import { chosenLocale, withLocale } from '../../../http/locale.js';
import { refuseOtherSites } from '../../../http/pages/same-site.js';
import { defineRoute } from '../../../http/route.js';
import { probeBody, readForm, shownFields } from '../home/form.js';

/** POST /: the form of a probe. It acts without credentials, within the limits of callers without an account. */
export const runProbe = defineRoute({
  operationId: 'postHomePage',
  method: 'POST',
  path: '/',
  summary: 'Run a probe from a form',
  tag: 'Pages',
  auth: { kind: 'none' },
  limit: 'standard',
  rawBody: { keepBytes: 8_192 },
  replies: { 303: Type.String() },
  replyKind: 'html',
  errors: [
    'FORBIDDEN',
    'VALIDATION_FAILED',
    'PROBE_TARGET_INVALID',
    'NODE_NOT_FOUND',
    'NODE_OFFLINE',
    'QUOTA_EXCEEDED',
    'RATE_LIMIT_EXCEEDED',
  ],
  isDocumented: false,
  async handle(request, { probes }) {
    refuseOtherSites(request);
    const fields = readForm(request.rawBody.bytes);
    const { type } = shownFields(fields);
    if (!isProbeType(type)) throw fieldError('type', 'unknown', 'no such type');
    const body = probeBody(fields, (id) => probes.isOnline(id));
    const { task_id: id } = await probes.createFromForm(type, body, request);
    const language = chosenLocale(request.url);
    const page = language === null ? `/p/${id}` : withLocale(`/p/${id}`, language);
    return { status: 303, raw: { contentType: 'text/html; charset=utf-8', body: '' }, headers: { Location: page } };
  },
});
