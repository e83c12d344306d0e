import { isProbeType } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { ApiError, fieldError } from '../../../http/errors.js';
import { chosenLocale, withLocale } from '../../../http/locale.js';
import { refuseOtherSites } from '../../../http/pages/same-site.js';
import { defineRoute } from '../../../http/route.js';
import { checkFields, probeBody, shownFields } from '../home/form.js';
import { renderHome } from '../home/home-page.js';

/** Greatest size of the form. */
const FORM_BYTES = 8_192;

const common = {
  path: '/',
  tag: 'Pages',
  auth: { kind: 'none' },
  replyKind: 'html',
  isDocumented: false,
} as const;

/** GET /: what the service is, with a form that runs a probe. */
export const homePage = defineRoute({
  ...common,
  operationId: 'getHomePage',
  method: 'GET',
  summary: 'Home page',
  replies: { 200: Type.String() },
  errors: [],
  handle: async (request, services) => renderHome(request, services),
});

/** POST /: the form of a probe. It acts without credentials, within the limits of callers without an account. */
export const runProbe = defineRoute({
  ...common,
  operationId: 'postHomePage',
  method: 'POST',
  summary: 'Run a probe from a form',
  limit: 'standard',
  rawBody: { keepBytes: FORM_BYTES },
  // a refusal is the form again
  replies: Object.fromEntries([303, 400, 404, 422, 429, 503].map((status) => [status, Type.String()])),
  errors: ['FORBIDDEN'],
  async handle(request, services) {
    refuseOtherSites(request);
    const { probes } = services;
    const fields = new URLSearchParams(request.rawBody.bytes.toString('utf8'));
    const form = shownFields(fields);
    try {
      if (request.rawBody.isCut) throw fieldError('body', 'length', `must be at most ${FORM_BYTES} bytes`);
      checkFields(fields);
      if (!isProbeType(form.type)) throw fieldError('type', 'unknown', 'no such type');
      const body = probeBody(fields, (id) => probes.isOnline(id));
      const { task_id: id } = await probes.createFromForm(form.type, body, request);
      const language = chosenLocale(request.url);
      const page = language === null ? `/p/${id}` : withLocale(`/p/${id}`, language);
      return { status: 303, raw: { contentType: 'text/html; charset=utf-8', body: '' }, headers: { Location: page } };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return renderHome(request, services, { form, error });
    }
  },
});
