import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { BYTES_PER_WEIGHT } from '@vantage/shared/probe-types/speedtest.js';
import { Type } from 'typebox';
import { type Html, html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute } from '../../../http/route.js';
import { TARGET_BURST, TARGET_MAX_AT_ONCE, TARGET_RATE_PER_SECOND } from '../../probes/index.js';
import type { Site } from '../index.js';

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
  async handle(_request, { pages: site }) {
    const content = html`
<h1>About our traffic</h1>
<p>Did you find this address in your logs? A user asked this service how your server, name or network is reached from other networks. Small agents on several networks measured it and reported the results: of an HTTP request, a ping, a DNS query, a TCP connection, a traceroute, the greeting of a mail server, the time of a time server, TLS handshakes or a download.</p>
<p>The User-Agent of every HTTP request ends in <code>vantage-agent</code>, its version and this address. A mail server is greeted with the name of this service. Other kinds of probes have no field that could name their sender.</p>
<h2>Limits</h2>
<ul>
<li>Your domain, or your address and the network around it (/24, IPv6 /48), gets ${TARGET_BURST} probes at once and ${TARGET_RATE_PER_SECOND} a second after that, from all agents and all users together. Larger probes count as several: a TLS audit as ${probeTypes.ssl.targetWeight()}, a download as one for each ${BYTES_PER_WEIGHT / 1e6} MB.</li>
<li>No more than ${TARGET_MAX_AT_ONCE} agents work on it at the same time.</li>
<li>HTTP requests never go to the ports of mail servers and databases; a UDP traceroute goes to ports 33434 to 33690 only.</li>
</ul>
<p>The operator may exempt their own networks from these limits.</p>
<h2>How to opt out</h2>
<p>The operator maintains a deny list of addresses, networks and domains. From the next minute on, no agent contacts an entry of the list; a domain includes all its subdomains. Send your entry and, if possible, the time and a line of your log.</p>
${contactOf(site)}`;
    return renderPage({ title: 'About our traffic', content });
  },
});

function contactOf({ abuseContact, publicUrl }: Site): Html {
  if (abuseContact === null) {
    return html`<p>The operator has not named an address to write to. This service runs at <a href="${publicUrl}">${publicUrl}</a>: the operator of that site is responsible for its probes.</p>`;
  }
  const isAddress = /^https?:/.test(abuseContact);
  const contact = isAddress ? html`<a href="${abuseContact}">${abuseContact}</a>` : abuseContact;
  return html`<p>Write to ${contact}.</p>`;
}
