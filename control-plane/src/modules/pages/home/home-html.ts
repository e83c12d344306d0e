import { textCell } from '@vantage/shared/probe-types/cells.js';
import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { type ApiError, messageOf } from '../../../http/errors.js';
import { messageIn } from '../../../http/field-messages/field-messages.js';
import type { Locale } from '../../../http/locale.js';
import { clientHtml } from '../../../http/pages/client-html.js';
import { type Html, html } from '../../../http/pages/html.js';
import { lookupTitles } from '../../lookups/index.js';
import type { Releases } from '../../releases/index.js';
import type { CountryNodes } from '../map/node-map.js';
import { taskTexts } from '../task/task-texts.js';
import { LOOKUP, REPORT, type StartForm } from './form.js';
import { type FormParam, formParams } from './form-params.js';
import { type HomeTexts, homeTexts } from './home-texts.js';
import { paramLabel } from './param-labels.js';

/** Countries that the first page names. */
const MAX_COUNTRIES = 8;

/** Numbers of nodes that the form offers. */
const limits = [1, 3, 5, 10, 20];

/** The form that runs a probe, creates a report or looks something up, with what was sent before if it was refused. */
export function formHtml(form: StartForm, countries: readonly CountryNodes[], locale: Locale): Html {
  const texts = homeTexts[locale];
  const online = countries.filter((counted) => counted.online > 0 && counted.country !== null);
  const others = otherKinds(locale);
  return html`<form method="post" action="/" class="probe">
<label>${texts.kind}<select name="type">${probeTypeNames.map((type) => option(type, type, form.type))}<optgroup label="${texts.more}">${others.map(([kind, title]) => option(kind, title, form.type))}</optgroup></select></label>
<label class="target">${texts.target}<input name="target" required maxlength="2048" value="${form.target}" placeholder="example.com" autocapitalize="none" autocorrect="off" spellcheck="false" inputmode="url"></label>
<label class="from">${texts.from}<select name="from">${option('', texts.anywhere, form.from)}${online.map(({ country, name, online: count }) => option(country ?? '', `${name} (${count})`, form.from))}</select></label>
<label class="nodes">${texts.nodes}<select name="limit">${limits.map((limit) => option(String(limit), String(limit), String(form.limit)))}</select></label>
<button>${texts.run}</button>
${probeTypeNames.map((type) => html`<div class="params for-${type}">${formParams(type).map((param) => paramHtml(param, form, locale))}</div>`)}
</form>
<p class="small">${texts.more}: ${others.map(([kind, title], i) => html`${i > 0 && ' · '}<a href="${`/?type=${encodeURIComponent(kind)}`}">${title}</a>`)}</p>
<p class="muted small text">${texts.hint}</p>`;
}

/** Kinds of the form that are no probes, with their titles. */
function otherKinds(locale: Locale): [kind: string, title: string][] {
  const lookups = Object.entries(lookupTitles[locale]).map(([kind, title]): [string, string] => [LOOKUP + kind, title]);
  return [[REPORT, homeTexts[locale].report], ...lookups];
}

/** Field of a parameter, which is shown while its type is chosen. */
function paramHtml({ name, field, schema }: FormParam, form: StartForm, locale: Locale): Html {
  const { yes, no } = taskTexts[locale];
  const usual = schema.default === undefined ? '' : String(schema.default);
  const value = form.params.get(field) ?? '';
  const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum;
  const shown: Readonly<Record<string, string>> = { true: yes, false: no };
  const control =
    choices === undefined
      ? html`<input name="${field}" value="${value}" placeholder="${usual}" maxlength="${schema.maxLength ?? 9}" autocapitalize="none" spellcheck="false"${schema.type === 'integer' && html` inputmode="numeric"`}>`
      : html`<select name="${field}">${choices.map((one) => option(one, shown[one] ?? one, value || usual))}</select>`;
  return html`<label>${paramLabel(name, locale) ?? name}${control}</label>`;
}

function option(value: string, text: string, chosen: string): Html {
  return html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
}

/** Reason why the form was refused, with what the API says about each field. */
export function refusalHtml(error: ApiError, locale: Locale): Html {
  const { details = {} } = error;
  const fields = Object.entries(details);
  return html`<div class="refusal" role="alert"><p class="bad"><b>${homeTexts[locale].refused}</b>${error.code !== 'VALIDATION_FAILED' && html`: ${messageOf(error, locale)}`}</p>
${fields.map(([field, found]) =>
  found.map((one) => {
    const reason = messageIn(one.message, locale);
    const label = paramLabel(field.replace(/^params\./, ''), locale);
    return html`<p lang="${reason.locale}">${label !== null && html`<b lang="${locale}">${label}</b>: `}${textCell(reason.text)}</p>`;
  }),
)}</div>`;
}

/** Countries with the most nodes that are online, each with their number. */
export function countryList(countries: readonly CountryNodes[]): Html {
  return html`<ul>${countries
    .filter(({ online }) => online > 0)
    .slice(0, MAX_COUNTRIES)
    .map(({ name, online }) => html`<li><span>${name}</span> <b>${online}</b></li>`)}</ul>`;
}

interface Ways {
  readonly publicUrl: string;
  readonly version: string;
  readonly releases: Pick<Releases, 'command' | 'agentCommands' | 'isPlain' | 'clientCommand'>;
  readonly locale: Locale;
}

/** How to use the API, and how to join with a node. */
export function waysHtml(texts: HomeTexts, { publicUrl, version, releases, locale }: Ways): Html {
  return html`<div class="ways"><section>
<h2>${texts.apiTitle}</h2>
<p>${texts.api}</p>
<pre lang="en" tabindex="0">curl -s ${publicUrl}/v1/probe/http \\
  -H 'Content-Type: application/json' \\
  -d '{"target": "https://example.com/"}'</pre>
<p>${texts.apiNext}</p>
<pre lang="en" tabindex="0">curl -s '${publicUrl}/v1/probe/tasks/TASK_ID?wait=30'
${publicUrl}/p/TASK_ID</pre>
${clientHtml(locale, releases.clientCommand, 'vantage http https://example.com/')}
<p><a href="/docs/guide">${texts.guide}</a> · <a href="/docs">${texts.reference}</a> · <a href="/v1/openapi.json">${texts.document}</a></p>
</section><section>
<h2>${texts.joinTitle}</h2>
<p>${texts.join}</p>
${releases.isPlain ? html`<p class="warn">${texts.joinPlain}</p>` : joinHtml(texts, publicUrl, releases)}
<p class="muted small">${texts.version} ${version}</p>
</section></div>`;
}

function joinHtml(texts: HomeTexts, publicUrl: string, { command, agentCommands }: Ways['releases']): Html {
  return html`<p>${command === null ? texts.joinToken : texts.joinInstall}</p>
<pre lang="en" tabindex="0">curl -s -X POST ${publicUrl}/v1/nodes/enrollment-tokens \\
  -H "Authorization: Bearer $TOKEN"

${command ?? agentCommands}</pre>`;
}
