import { textCell } from '@vantage/shared/probe-types/cells.js';
import { Type } from 'typebox';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { type PageCell, tableHtml } from '../../../http/pages/table-html.js';
import { defineRoute } from '../../../http/route.js';
import { viewerOf } from '../../../http/viewer.js';
import { statusOf } from '../../nodes/index.js';
import { mapTexts, onlineText } from '../map/map-texts.js';
import { byCountry, countryName, nodeMap, type PageNode } from '../map/node-map.js';

/** Greatest number of rows: a page of more is read by no one. */
const MAX_ROWS = 500;

/** GET /nodes: the public nodes, on a map and in a list. */
export const nodesPage = defineRoute({
  operationId: 'getNodesPage',
  method: 'GET',
  path: '/nodes',
  summary: 'Public nodes as a page',
  tag: 'Pages',
  auth: { kind: 'none' },
  replies: { 200: Type.String() },
  replyKind: 'html',
  errors: [],
  isDocumented: false,
  async handle(request, { nodes: directory }) {
    const { locale } = request;
    const texts = mapTexts[locale];
    const nodes = directory
      .list(viewerOf(null), {})
      .map((node) => ({ ...node, isOnline: statusOf(node) === 'online' }));
    const counted = byCountry(nodes, locale);
    const order = new Map(counted.map(({ country }, i) => [country, i]));
    const rankOf = ({ country, isOnline }: PageNode) => 2 * (order.get(country) ?? 0) + (isOnline ? 0 : 1);
    const rows = nodes.toSorted((a, b) => rankOf(a) - rankOf(b)).slice(0, MAX_ROWS);
    const summary = onlineText(nodes, texts);
    const content = html`
<h1>${texts.title}</h1>
<p class="lead">${summary}</p>
${nodeMap(counted, summary)}
${
  rows.length === 0
    ? html`<p>${texts.none}</p>`
    : tableHtml({
        name: texts.title,
        head: [texts.country, texts.city, texts.network, texts.name, texts.state],
        rows: rows.map((node): PageCell[] => [
          { content: countryName(node.country, locale), look: 'name' },
          textCell(node.city),
          networkText(node),
          textCell(node.name),
          node.isOnline ? { content: texts.isOnline, look: 'good' } : { content: texts.isOffline, look: 'words' },
        ]),
      })
}
${nodes.length > MAX_ROWS && html`<p>${texts.more(nodes.length - MAX_ROWS)}</p>`}
<p><a href="/v1/nodes">${texts.json}</a></p>
<p class="muted small">${texts.source}</p>`;
    return renderPage(request, { title: texts.title, description: texts.description, content });
  },
});

function networkText({ asn, isp }: { readonly asn: number | null; readonly isp: string | null }): string {
  return textCell([asn === null ? null : `AS${asn}`, isp].filter((part) => part !== null).join(' ') || null);
}
