import { isProbeType } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { ApiError, fieldError } from '../../../http/errors.js';
import { chosenLocale, withLocale } from '../../../http/locale.js';
import type { PageRequest } from '../../../http/pages/page.js';
import { refuseOtherSites } from '../../../http/pages/same-site.js';
import type { Caller } from '../../../http/rate-limit.js';
import { defineRoute, type RawReply, type Services } from '../../../http/route.js';
import { lookupTitles } from '../../lookups/index.js';
import { checkFields, LOOKUP, probeBody, REPORT, reportBody, type StartForm, shownFields } from '../home/form.js';
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

/** GET /: what the service is, with a form that runs a probe. Its query fills fields of the form: `/?type=report`. */
export const homePage = defineRoute({
  ...common,
  operationId: 'getHomePage',
  method: 'GET',
  summary: 'Home page',
  replies: { 200: Type.String() },
  errors: [],
  handle: async (request, services) => renderHome(request, services, { form: shownFields(queryOf(request.url)) }),
});

/** POST /: the form of the start page. It acts without credentials, within the limits of callers without an account. */
export const sendHomeForm = defineRoute({
  ...common,
  operationId: 'postHomePage',
  method: 'POST',
  summary: 'Run a probe, create a report or look something up from a form',
  limit: 'standard',
  rawBody: { keepBytes: FORM_BYTES },
  // a refusal is the form again
  replies: Object.fromEntries([303, 307, 400, 404, 422, 429, 503].map((status) => [status, Type.String()])),
  errors: ['FORBIDDEN'],
  async handle(request, services) {
    refuseOtherSites(request);
    const fields = new URLSearchParams(request.rawBody.bytes.toString('utf8'));
    try {
      if (request.rawBody.isCut) throw fieldError('body', 'length', `must be at most ${FORM_BYTES} bytes`);
      checkFields(fields);
      return await start(fields, request, services);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return renderHome(request, services, { form: shownFields(fields), error });
    }
  },
});

/** Starts what the form names, and leads to its page. @throws ApiError */
async function start(fields: URLSearchParams, request: FormRequest, { probes, diagnose }: Services): Promise<RawReply> {
  const form = shownFields(fields);
  const { type } = form;
  // the page of a lookup looks up by POST alone, and the method stays with 307
  if (isLookup(type)) return redirect(307, `/${type}/${encodeURIComponent(targetOf(form))}`, request);
  if (type === REPORT)
    return redirect(303, `/d/${(await diagnose.createFromForm(reportBody(form), request)).id}`, request);
  if (!isProbeType(type)) throw fieldError('type', 'unknown', 'no such type');
  const body = probeBody(type, fields, (id) => probes.isOnline(id));
  const { task_id: id } = await probes.createFromForm(type, body, request);
  return redirect(303, `/p/${id}`, request);
}

type FormRequest = PageRequest & Caller;

function isLookup(type: string): boolean {
  return type.startsWith(LOOKUP) && Object.hasOwn(lookupTitles.en, type.slice(LOOKUP.length));
}

function targetOf({ target }: StartForm): string {
  if (target.trim() === '') throw fieldError('target', 'required', 'is required');
  return target.trim();
}

function redirect(status: 303 | 307, path: string, { url }: PageRequest): RawReply {
  const language = chosenLocale(url);
  const Location = language === null ? path : withLocale(path, language);
  return { status, raw: { contentType: 'text/html; charset=utf-8', body: '' }, headers: { Location } };
}

function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('?')[1]);
}
