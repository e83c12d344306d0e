import { Type } from 'typebox';
import { clientHtml } from '../../../http/pages/client-html.js';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute } from '../../../http/route.js';
import { guideCommands, guideSteps } from '../guide/commands.js';
import type { GuideText } from '../guide/guide-text.js';
import { guideTexts } from '../guide/languages.js';

/** GET /docs/guide: the API from registering to logging out, with commands to paste. */
export const guidePage = defineRoute({
  operationId: 'getGuidePage',
  method: 'GET',
  path: '/docs/guide',
  summary: 'Getting started with curl',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle(request, { pages: site, releases }) {
    const text = guideTexts[request.locale];
    const client = clientHtml(request.locale, releases.clientCommand, 'vantage http https://example.com/');
    const content = html`${contentOf(text, site.publicUrl)}
${client}`;
    return renderPage(request, { title: text.title, content });
  },
});

function contentOf({ title, introduction, contents, steps, ending }: GuideText, publicUrl: string): Html {
  const commands = guideCommands(publicUrl);
  return html`<h1>${title}</h1>
${introduction}
<nav aria-label="${contents}"><ol class="contents">${guideSteps.map(
    (step) => html`<li><a href="${`#${step}`}">${steps[step].heading}</a></li>`,
  )}</ol></nav>
${guideSteps.map(
  (step) => html`<h2 id="${step}">${steps[step].heading}</h2>
${steps[step].before}
<pre lang="en" tabindex="0">${commands[step]}</pre>
${steps[step].after}`,
)}
${ending}`;
}
