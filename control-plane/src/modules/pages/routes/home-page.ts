import { probeTypeNames } from '@vantage/shared/probe-types/index.js';
import { Type } from 'typebox';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';

/** GET /: introduction to the service, with a first request to try. */
export const homePage = defineRoute({
  operationId: 'getHomePage',
  method: 'GET',
  path: '/',
  summary: 'Home page',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle(request, { nodes, pages: site }) {
    const online = nodes.list(viewerOf(null), { status: 'online' });
    const countries = new Set(online.map(({ country }) => country).filter((country) => country !== null));
    const networks = new Set(online.map(({ asn }) => asn).filter((asn) => asn !== null));
    const content = html`
<h1>Network diagnostics from many places at once</h1>
<p>Vantage runs ${probeTypeNames.join(', ')} probes from small agents on other people's machines and combines the results.</p>
<dl>
<dt>Nodes online</dt><dd>${online.length}${countries.size > 0 && html` in ${countries.size} ${countries.size === 1 ? 'country' : 'countries'}`}${networks.size > 0 && html`, ${networks.size} ${networks.size === 1 ? 'network' : 'networks'}`} · <a href="/v1/nodes">list</a></dd>
<dt>New here?</dt><dd><a href="/docs/guide">getting started with curl</a></dd>
<dt>Reference</dt><dd><a href="/docs">interactive documentation</a> · <a href="/v1/openapi.json">OpenAPI document</a></dd>
<dt>Complaints</dt><dd><a href="/abuse">about our traffic</a></dd>
<dt>Version</dt><dd>${site.version}</dd>
</dl>
<h2>Your first probe</h2>
<p>Have up to three nodes in different networks fetch a page. No account is needed.</p>
<pre tabindex="0">curl -s ${site.publicUrl}/v1/probe/http \\
  -H 'Content-Type: application/json' \\
  -d '{"target": "https://example.com/"}'</pre>
<p>The response has a <code>task_id</code>. Wait for the end of the task, or open its page:</p>
<pre tabindex="0">curl -s '${site.publicUrl}/v1/probe/tasks/TASK_ID?wait=30'

${site.publicUrl}/p/TASK_ID</pre>`;
    return renderPage(request, { title: 'Network diagnostics', content });
  },
});
