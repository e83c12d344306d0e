import { Type } from 'typebox';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute } from '../../../http/route.js';
import { abuseTexts } from '../abuse/texts.js';

/** GET /abuse: page whose URL is in the User-Agent of every HTTP probe, for operators who find it in their logs. */
export const abusePage = defineRoute({
  operationId: 'getAbusePage',
  method: 'GET',
  path: '/abuse',
  summary: 'About the traffic of probes',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle(request, { pages: { abuseContact, publicUrl } }) {
    const { title, description, before, limits, limitsTitle, after, optOutTitle, optOut, noContact, writeTo } =
      abuseTexts[request.locale];
    const contact =
      abuseContact !== null && /^https?:/.test(abuseContact)
        ? html`<a href="${abuseContact}">${abuseContact}</a>`
        : abuseContact;
    const content = html`
<h1>${title}</h1>
${before.map((text) => html`<p class="text">${text}</p>`)}
<h2>${limitsTitle}</h2>
<ul class="text">${limits.map((text) => html`<li>${text}</li>`)}</ul>
<p class="text">${after}</p>
<h2>${optOutTitle}</h2>
<p class="text">${optOut}</p>
<p class="text">${contact === null ? noContact(html`<a href="${publicUrl}">${publicUrl}</a>`) : writeTo(contact)}</p>`;
    return renderPage(request, { title, description, content });
  },
});
