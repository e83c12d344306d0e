import { formatHost, type Host, parseHost } from '../target-policy/host.js';
import { parseHttpUrl } from '../target-policy/url.js';

/** Target of a report. */
export interface DiagnoseTarget {
  readonly host: Host;
  /** URL that is requested first. */
  readonly url: string;
  /** URL that is requested where no node can connect or shake hands; null for a target that states its scheme. */
  readonly plainUrl: string | null;
  /** Host and port of the TLS server. */
  readonly tlsServer: string;
}

/** Reads a domain, an address, or an http(s) URL. @throws TargetError */
export function parseDiagnoseTarget(text: string): DiagnoseTarget {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) {
    const { url, host, port } = parseHttpUrl(text);
    url.hash = '';
    const tlsPort = url.protocol === 'https:' && port !== 443 ? `:${port}` : '';
    return { host, url: url.href, plainUrl: null, tlsServer: `${formatHost(host)}${tlsPort}` };
  }
  const host = parseHost(text);
  const name = formatHost(host);
  return { host, url: `https://${name}/`, plainUrl: `http://${name}/`, tlsServer: name };
}

/** Host as it is written alone: without brackets. */
export function hostText(host: Host): string {
  return host.kind === 'name' ? host.name : host.address;
}
