import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { BYTES_PER_WEIGHT } from '@vantage/shared/probe-types/speedtest.js';
import { Type } from 'typebox';
import { type Html, html } from '../../../http/html.js';
import { renderPage } from '../../../http/page.js';
import { defineRoute } from '../../../http/route.js';
import { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from '../../probes/index.js';
import type { Site } from '../index.js';

/** GET /abuse: what every HTTP request of a probe names, for those who find it in their logs. */
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
  async handle(_request, { site }) {
    const content = html`
<h1>About our traffic</h1>
<p>You found this address in your logs? Somebody asked this service how your server, name or network is reached from elsewhere. Small agents on several networks measured it and reported what they saw: an HTTP request, a ping, a DNS question, a TCP connection, a traceroute, the greeting of a mail server, the time of a time server, TLS handshakes or a download.</p>
<p>The User-Agent of every HTTP request ends in <code>vantage-agent</code>, its version and this address. A mail server is greeted with the name of this service. The other kinds of probes have no room to say who sent them.</p>
<h2>What limits hold</h2>
<ul>
<li>Your domain, or your address and the network around it (/24, IPv6 /48), gets ${TARGET_BURST} probes at once and ${TARGET_RATE_PER_SECOND} a second after that, from all agents and all users together. Larger ones count for more: an audit of TLS for ${probeTypes.ssl.targetWeight()}, a download for one each ${BYTES_PER_WEIGHT / 1e6} MB.</li>
<li>No more than ${TARGET_MAX_AT_ONCE} agents work on it at the same time.</li>
<li>HTTP requests never go to the ports of mail servers and databases; a UDP traceroute goes to ports 33434 to 33690 only.</li>
</ul>
<p>The operator may exempt networks of their own from them.</p>
<h2>How to be left out</h2>
<p>The operator keeps a deny list of addresses, networks and domains. What is on it no agent touches from the next minute on, a domain with everything below it. Name yours, and if you can the time and a line of your log.</p>
${contactOf(site)}`;
    return renderPage({ title: 'About our traffic', content });
  },
});

function contactOf({ abuseContact, publicUrl }: Site): Html {
  if (abuseContact === null) {
    return html`<p>The operator has not named an address to write to. This service runs at <a href="${publicUrl}">${publicUrl}</a>: whoever is responsible for that site is responsible for its probes.</p>`;
  }
  const isAddress = /^https?:/.test(abuseContact);
  const contact = isAddress ? html`<a href="${abuseContact}">${abuseContact}</a>` : abuseContact;
  return html`<p>Write to ${contact}.</p>`;
}
