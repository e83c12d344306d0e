import { OldServersContext } from '../../net/tls/old-servers.js';
import { ProbeFailure } from '../failure.js';
import { fetchJson, type JsonAnswer } from '../http/fetch-json.js';
import type { RdapBootstrapUrls } from '../sources.js';
import { RegistryRefusal } from './asked-servers.js';
import { Bootstrap } from './bootstrap.js';
import { addressUrl, domainUrl, type RdapServices } from './bootstrap-file.js';
import { readRdapNetwork } from './rdap-network.js';
import { readRdapDomain } from './rdap-reply.js';
import type { Registration } from './registration.js';
import type { RegistryContext, RegistrySubject } from './registry-context.js';
import { retryAfterSeconds } from './retry-after.js';

const headers = { Accept: 'application/rdap+json, application/json' };

/** Copies of the bootstrap files by kind; null where none may serve. */
export type BundledFiles = Readonly<Record<keyof RdapBootstrapUrls, RdapServices | null>>;

/** Queries registries by RDAP, each at the URL that a bootstrap file has for its domains or addresses. RFC 9083, RFC 9224. */
export class RdapClient {
  readonly #tls: OldServersContext;
  readonly #files: Readonly<Record<keyof RdapBootstrapUrls, Bootstrap>>;

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor(urls: RdapBootstrapUrls, bundled: BundledFiles, trustedCertificates?: readonly string[]) {
    this.#tls = new OldServersContext(trustedCertificates);
    const fetch = (url: string, context: RegistryContext) => this.#fetch(url, context);
    const fileOf = (kind: keyof RdapBootstrapUrls) => new Bootstrap({ url: urls[kind], bundled: bundled[kind], fetch });
    this.#files = { dns: fileOf('dns'), ipv4: fileOf('ipv4'), ipv6: fileOf('ipv6') };
  }

  /**
   * The registration, and the server that gave it.
   * @throws ProbeFailure not_supported where no registry is known, http_protocol for nonsense, and those of HTTP;
   * RegistryRefusal; or the signal's reason
   */
  async ask(subject: RegistrySubject, context: RegistryContext): Promise<{ found: Registration; server: string }> {
    const url = await this.#urlOf(subject, context);
    if (url === null || !URL.canParse(url)) throw new ProbeFailure('not_supported', 'the registry has no RDAP service');
    return context.asked.ask('rdap', new URL(url).host, async (answeredBy) => {
      const answer = await this.#fetch(url, context);
      answeredBy(answer.host);
      if (answer.statusCode === 429 || answer.statusCode === 503) throw refusalOf(answer, context.clock.now());
      const found =
        subject.kind === 'domain' ? readRdapDomain(answer, subject.name) : readRdapNetwork(answer, subject.name);
      if (found === null)
        throw new ProbeFailure('http_protocol', `responded with ${answer.statusCode} without RDAP data`);
      return { found, server: answer.host };
    });
  }

  async #urlOf(subject: RegistrySubject, context: RegistryContext): Promise<string | null> {
    if (subject.kind === 'domain') return domainUrl(await this.#files.dns.services(context), subject.name);
    return addressUrl(await this.#files[`ipv${subject.family}`].services(context), subject.name);
  }

  #fetch(url: string, context: RegistryContext): Promise<JsonAnswer> {
    return fetchJson({ url, headers, names: context.names, secureContext: this.#tls.get() }, context);
  }
}

function refusalOf({ statusCode, retryAfter }: JsonAnswer, nowMs: number): RegistryRefusal {
  const message = `refuses queries at present (HTTP ${statusCode})`;
  return new RegistryRefusal('http_protocol', message, retryAfterSeconds(retryAfter, nowMs));
}
