import { textCell } from '@vantage/shared/probe-types/cells.js';
import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { errorTable } from '../../../http/error-table.js';
import type { ApiError } from '../../../http/errors.js';
import { messageIn } from '../../../http/field-messages/field-messages.js';
import type { Locale } from '../../../http/locale.js';
import { clientHtml } from '../../../http/pages/client-html.js';
import { type Html, html } from '../../../http/pages/html.js';
import type { Releases } from '../../releases/index.js';
import type { CountryNodes } from '../map/node-map.js';
import type { ProbeForm } from './form.js';
import { type HomeTexts, homeTexts } from './home-texts.js';

/** Countries that the first page names. */
const MAX_COUNTRIES = 8;

/** Numbers of nodes that the form offers. */
const limits = [1, 3, 5, 10, 20];

/** The form that runs a probe, with what was sent before if it was refused. */
export function formHtml(form: ProbeForm, countries: readonly CountryNodes[], locale: Locale): Html {
  const texts = homeTexts[locale];
  const online = countries.filter((counted) => counted.online > 0 && counted.country !== null);
  const option = (value: string, text: string, chosen: string) =>
    html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`;
  return html`<form method="post" action="/" class="probe">
<label>${texts.kind}<select name="type">${probeTypeNames.map((type) => option(type, type, form.type))}</select></label>
<label class="target">${texts.target}<input name="target" required maxlength="2048" value="${form.target}" placeholder="example.com" autocapitalize="none" autocorrect="off" spellcheck="false" inputmode="url"></label>
<label class="from">${texts.from}<select name="from">${option('', texts.anywhere, form.from)}${online.map(({ country, name, online: count }) => option(country ?? '', `${name} (${count})`, form.from))}</select></label>
<label>${texts.nodes}<select name="limit">${limits.map((limit) => option(String(limit), String(limit), String(form.limit)))}</select></label>
<button>${texts.run}</button>
</form>
<p class="muted small text">${texts.hint}</p>`;
}

/** Reason why the form was refused, with what the API says about each field. */
export function refusalHtml({ code, details = {} }: ApiError, locale: Locale): Html {
  const message = errorTable[code].messages[locale];
  const reasons = Object.values(details).flatMap((found) => found.map((one) => messageIn(one.message, locale)));
  return html`<div class="refusal" role="alert"><p class="bad"><b>${homeTexts[locale].refused}</b>: ${message}</p>
${reasons.map((reason) => html`<p lang="${reason.locale}">${textCell(reason.text)}</p>`)}</div>`;
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
  readonly releases: Pick<Releases, 'command' | 'isPlain' | 'clientCommand'>;
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
${releases.isPlain ? html`<p class="warn">${texts.joinPlain}</p>` : joinHtml(texts, publicUrl, releases.command)}
<p class="muted small">${texts.version} ${version}</p>
</section></div>`;
}

/** `install`: command that installs an agent; null if this control plane serves no installer. */
function joinHtml(texts: HomeTexts, publicUrl: string, install: string | null): Html {
  return html`<p>${install === null ? texts.joinToken : texts.joinInstall}</p>
<pre lang="en" tabindex="0">curl -s -X POST ${publicUrl}/v1/nodes/enrollment-tokens \\
  -H "Authorization: Bearer $TOKEN"

${install ?? agentCommands(publicUrl)}</pre>`;
}

function agentCommands(publicUrl: string): string {
  return `vantage-agent enroll --url ${publicUrl} \\\n  --token-file token.txt\nvantage-agent run`;
}
