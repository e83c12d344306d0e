import type { ApiError } from '../../../http/errors.js';
import { html } from '../../../http/pages/html.js';
import { type PageRequest, renderPage } from '../../../http/pages/page.js';
import type { RawReply, Services } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { statusOf } from '../../nodes/index.js';
import { mapTexts, onlineText } from '../map/map-texts.js';
import { byCountry, nodeMap } from '../map/node-map.js';
import type { StartForm } from './form.js';
import { countryList, formHtml, refusalHtml, waysHtml } from './home-html.js';
import { homeTexts } from './home-texts.js';

/** Form as it is shown, with the reason why it was refused, if it was. */
interface Shown {
  readonly form: StartForm;
  readonly error?: ApiError;
}

/** The first page. */
export function renderHome(request: PageRequest, services: Services, { form, error }: Shown): RawReply {
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
${error !== undefined && refusalHtml(error, locale)}
${formHtml(form, countries, locale)}
${!nodes.some(({ isOnline }) => isOnline) && html`<p class="warn">${texts.noNodes}</p>`}
<section>
<h2>${texts.nodesTitle}</h2>
<p>${summary} · <a href="/nodes">${texts.allNodes}</a></p>
<div class="places">${nodeMap(countries, summary)}${countryList(countries)}</div>
<p class="muted small">${mapTexts[locale].source}</p>
</section>
${waysHtml(texts, { publicUrl, version, releases: services.releases, locale })}`;
  const { title, description } = texts;
  const status = error?.status ?? 200;
  const page = renderPage(request, { status, title, description, content });
  const retryAfterSeconds = error?.retryAfterSeconds;
  if (retryAfterSeconds === undefined) return page;
  return { ...page, headers: { ...page.headers, 'Retry-After': String(retryAfterSeconds) } };
}
