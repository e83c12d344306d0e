import type { ApiError } from '../../../http/errors.js';
import { html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import type { RawReply, Services } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { statusOf } from '../../nodes/index.js';
import { mapTexts, onlineText } from '../map/map-texts.js';
import { byCountry, nodeMap } from '../map/node-map.js';
import { emptyForm, type ProbeForm } from './form.js';
import { countryList, formHtml, refusalHtml, waysHtml } from './home-html.js';
import { homeTexts } from './home-texts.js';

/** A form that was refused. */
interface Refused {
  readonly form: ProbeForm;
  readonly error: ApiError;
}

/** The first page, after a refusal with the form as it was sent. */
export function renderHome(request: PageRequest, services: Services, refused: Refused | null = null): RawReply {
  const { locale } = request;
  const { version, publicUrl } = services.pages;
  const texts = homeTexts[locale];
  const nodes = services.nodes
    .list(viewerOf(null), {})
    .map((node) => ({ ...node, isOnline: statusOf(node) === 'online' }));
  const countries = byCountry(nodes, locale);
  const summary = onlineText(nodes, mapTexts[locale]);
  const content = html`
<h1>${texts.title}</h1>
<p class="lead text">${texts.lead}</p>
${refused !== null && refusalHtml(refused.error, locale)}
${formHtml(refused?.form ?? emptyForm, countries, locale)}
${!nodes.some(({ isOnline }) => isOnline) && html`<p class="warn">${texts.noNodes}</p>`}
<section>
<h2>${texts.nodesTitle}</h2>
<p>${summary} · <a href="/nodes">${texts.allNodes}</a></p>
<div class="places">${nodeMap(countries, summary)}${countryList(countries)}</div>
<p class="muted small">${mapTexts[locale].source}</p>
</section>
${waysHtml(texts, { publicUrl, version, releases: services.releases, locale })}`;
  const { title, description } = texts;
  const status = refused?.error.status ?? 200;
  const page = renderPage(request, { status, title, description, content });
  const retryAfterSeconds = refused?.error.retryAfterSeconds;
  if (retryAfterSeconds === undefined) return page;
  return { ...page, headers: { ...page.headers, 'Retry-After': String(retryAfterSeconds) } };
}
