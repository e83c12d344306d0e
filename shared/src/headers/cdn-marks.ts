/** One mark by which a response of a CDN is known, with the document that describes it. */
export interface CdnMark {
  readonly cdn: string;
  /** A header in lower case, with a pattern of its value if its presence alone is not enough. */
  readonly header?: string;
  readonly value?: RegExp;
  /** Suffix of a name to which the host is an alias. */
  readonly cname?: string;
  /** Network of the contacted address. */
  readonly asn?: number;
  readonly source: string;
}

const registry = (asn: number) => `https://www.peeringdb.com/asn/${asn}`;
const aws = 'https://docs.aws.amazon.com/AmazonCloudFront/latest/DeveloperGuide/';
const cloudflare = 'https://developers.cloudflare.com/';
const akamai = 'https://techdocs.akamai.com/';
const azure = 'https://learn.microsoft.com/azure/frontdoor/';

/**
 * Marks of content delivery networks. Networks that also host other services (AS16509 of Amazon, AS15169 of Google,
 * AS8075 of Microsoft) are not in it: an address there proves nothing.
 */
export const cdnMarks: readonly CdnMark[] = [
  { cdn: 'Cloudflare', header: 'cf-ray', source: `${cloudflare}fundamentals/reference/http-headers/` },
  { cdn: 'Cloudflare', cname: 'cdn.cloudflare.net', source: `${cloudflare}dns/zone-setups/partial-setup/` },
  { cdn: 'Cloudflare', asn: 13335, source: registry(13335) },
  { cdn: 'Amazon CloudFront', header: 'x-amz-cf-id', source: `${aws}RequestAndResponseBehavior.html` },
  { cdn: 'Amazon CloudFront', cname: 'cloudfront.net', source: `${aws}CNAMEs.html` },
  {
    cdn: 'Fastly',
    header: 'x-served-by',
    value: /^cache-/,
    source: 'https://www.fastly.com/documentation/reference/http/http-headers/X-Served-By/',
  },
  {
    cdn: 'Fastly',
    cname: 'fastly.net',
    source:
      'https://www.fastly.com/documentation/guides/getting-started/domains/working-with-domains/working-with-cname-records-and-your-dns-provider/',
  },
  { cdn: 'Fastly', asn: 54113, source: registry(54113) },
  { cdn: 'Akamai', header: 'akamai-grn', source: `${akamai}property-mgr/docs/debug-pragma-headers` },
  {
    cdn: 'Akamai',
    header: 'server',
    value: /^AkamaiGHost/i,
    source: `${akamai}property-mgr/docs/debug-pragma-headers`,
  },
  { cdn: 'Akamai', cname: 'edgekey.net', source: `${akamai}property-mgr/docs/edge-hostnames` },
  { cdn: 'Akamai', cname: 'edgesuite.net', source: `${akamai}property-mgr/docs/edge-hostnames` },
  { cdn: 'Akamai', cname: 'akamaized.net', source: `${akamai}property-mgr/docs/edge-hostnames` },
  { cdn: 'Akamai', cname: 'akamaiedge.net', source: `${akamai}property-mgr/docs/edge-hostnames` },
  { cdn: 'Akamai', asn: 20940, source: registry(20940) },
  { cdn: 'Azure Front Door', header: 'x-azure-ref', source: `${azure}front-door-http-headers-protocol` },
  { cdn: 'Azure Front Door', cname: 'azurefd.net', source: `${azure}front-door-custom-domain` },
  {
    cdn: 'Azure Front Door',
    cname: 'azureedge.net',
    source: 'https://learn.microsoft.com/azure/cdn/cdn-map-content-to-custom-domain',
  },
  { cdn: 'Bunny', header: 'cdn-pullzone', source: 'https://docs.bunny.net/docs/cdn-http-headers' },
  { cdn: 'Bunny', cname: 'b-cdn.net', source: 'https://docs.bunny.net/docs/cdn-custom-hostname' },
  {
    cdn: 'KeyCDN',
    header: 'server',
    value: /^keycdn/i,
    source: 'https://www.keycdn.com/support/response-header-definitions',
  },
  { cdn: 'KeyCDN', cname: 'kxcdn.com', source: 'https://www.keycdn.com/support/create-a-zonealias' },
  {
    cdn: 'CDN77',
    header: 'x-77-nzt',
    source: 'https://client.cdn77.com/support/knowledgebase/cdn-resource/http-headers',
  },
  {
    cdn: 'CDN77',
    cname: 'cdn77.org',
    source: 'https://client.cdn77.com/support/knowledgebase/cdn-resource/how-to-setup-cname',
  },
  {
    cdn: 'Imperva',
    header: 'x-iinfo',
    source: 'https://docs.imperva.com/bundle/cloud-application-security/page/settings/headers.htm',
  },
  {
    cdn: 'Imperva',
    header: 'x-cdn',
    value: /^(?:Imperva|Incapsula)/i,
    source: 'https://docs.imperva.com/bundle/cloud-application-security/page/settings/headers.htm',
  },
  {
    cdn: 'Imperva',
    cname: 'incapdns.net',
    source: 'https://docs.imperva.com/bundle/cloud-application-security/page/onboarding/dns.htm',
  },
  {
    cdn: 'Imperva',
    cname: 'impervadns.net',
    source: 'https://docs.imperva.com/bundle/cloud-application-security/page/onboarding/dns.htm',
  },
  { cdn: 'Imperva', asn: 19551, source: registry(19551) },
  { cdn: 'Sucuri', header: 'x-sucuri-id', source: 'https://docs.sucuri.net/website-firewall/' },
  { cdn: 'Sucuri', asn: 30148, source: registry(30148) },
  { cdn: 'Vercel', header: 'x-vercel-id', source: 'https://vercel.com/docs/headers/response-headers' },
  { cdn: 'Netlify', header: 'x-nf-request-id', source: 'https://docs.netlify.com/platform/request-tracing/' },
  { cdn: 'Alibaba Cloud CDN', header: 'eagleid', source: 'https://www.alibabacloud.com/help/en/cdn/' },
  {
    cdn: 'Alibaba Cloud CDN',
    header: 'ali-swift-global-savetime',
    source: 'https://www.alibabacloud.com/help/en/cdn/',
  },
  { cdn: 'Alibaba Cloud CDN', cname: 'kunlunsl.com', source: 'https://www.alibabacloud.com/help/en/cdn/' },
  { cdn: 'Alibaba Cloud CDN', cname: 'alikunlun.com', source: 'https://www.alibabacloud.com/help/en/cdn/' },
  { cdn: 'Tencent Cloud CDN', header: 'x-nws-log-uuid', source: 'https://www.tencentcloud.com/document/product/228' },
  { cdn: 'Tencent Cloud CDN', cname: 'cdn.dnsv1.com', source: 'https://www.tencentcloud.com/document/product/228' },
  { cdn: 'Tencent EdgeOne', header: 'eo-log-uuid', source: 'https://edgeone.ai/document' },
  { cdn: 'Wangsu', cname: 'wscdns.com', source: 'https://en.wangsu.com/document' },
  { cdn: 'Wangsu', cname: 'lxdns.com', source: 'https://en.wangsu.com/document' },
  { cdn: 'Baidu Cloud Acceleration', header: 'server', value: /^yunjiasu/i, source: 'https://su.baidu.com/' },
  { cdn: 'Baidu Cloud Acceleration', cname: 'yunjiasu-cdn.net', source: 'https://su.baidu.com/' },
  { cdn: 'DDoS-Guard', header: 'server', value: /^ddos-guard/i, source: 'https://ddos-guard.net/' },
  { cdn: 'DDoS-Guard', asn: 57724, source: registry(57724) },
];

/** Properties of a response by which CDNs are known. */
export interface CdnTraits {
  readonly headers: Readonly<Record<string, string>>;
  /** Names to which the host is an alias. */
  readonly aliases: readonly string[];
  /** Network of the contacted address; null if unknown. */
  readonly asn: number | null;
}

/** Name of the CDN that served a response, by the first mark that matches; null if none does. */
export function cdnOf(traits: CdnTraits): string | null {
  return cdnMarks.find((mark) => matches(mark, traits))?.cdn ?? null;
}

function matches({ header, value, cname, asn }: CdnMark, traits: CdnTraits): boolean {
  if (asn !== undefined) return traits.asn === asn;
  if (cname !== undefined) return traits.aliases.some((alias) => isBelow(alias.toLowerCase(), cname));
  const found = header !== undefined && Object.hasOwn(traits.headers, header) ? traits.headers[header] : undefined;
  return found !== undefined && (value === undefined || value.test(found));
}

function isBelow(name: string, suffix: string): boolean {
  const plain = name.endsWith('.') ? name.slice(0, -1) : name;
  return plain === suffix || plain.endsWith(`.${suffix}`);
}
