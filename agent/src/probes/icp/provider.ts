import type { IcpFiling } from '@vantage/shared/probe-types/icp.js';
import type { KnownNames } from '../../net/known-names.js';
import { OldServersContext } from '../../net/tls/old-servers.js';
import type { ProbeContext } from '../engine.js';
import { ProbeFailure } from '../failure.js';
import { fetchJson, type JsonAnswer, type JsonRequest } from '../http/fetch-json.js';
import { readFiling } from './filing.js';

export type IcpContext = Pick<ProbeContext, 'signal' | 'clock' | 'userAgent'> & { readonly names: KnownNames };

/** Source of ICP filings. */
export interface IcpProvider {
  /** Host of the source, as results name it; null without a source. */
  readonly host: string | null;
  /** The filing of a registered domain; null where there is none. @throws ProbeFailure; or the signal's reason */
  find(domain: string, context: IcpContext): Promise<IcpFiling | null>;
}

/** Provider used until an operator configures one. */
export const noIcpProvider: IcpProvider = {
  host: null,
  find: () =>
    Promise.reject(new ProbeFailure('not_supported', 'no source configured: the node needs VANTAGE_ICP_SOURCE')),
};

/**
 * A document for each domain, at a URL with `{domain}` in it: `{icp_number, company, type, license_type, filed_at,
 * inquiry_url}` (API specification, ICP), perhaps within `data`. 404, or a number that is empty or null, says that there is no filing.
 */
export class JsonIcpProvider implements IcpProvider {
  readonly host: string;
  readonly #tls: OldServersContext;

  /** `trustedCertificates` (PEM) stand in for the public roots. */
  constructor(
    private readonly urlTemplate: string,
    trustedCertificates?: readonly string[],
  ) {
    this.host = new URL(urlTemplate.replaceAll('{domain}', 'example.com')).hostname;
    this.#tls = new OldServersContext(trustedCertificates);
  }

  async find(domain: string, context: IcpContext): Promise<IcpFiling | null> {
    const url = this.urlTemplate.replaceAll('{domain}', encodeURIComponent(domain));
    const headers = { Accept: 'application/json' };
    const request = { url, headers, names: context.names, secureContext: this.#tls.get() };
    const { statusCode, contentType, value } = await this.#fetch(request, context);
    if (statusCode === 404 && /json/i.test(contentType)) return null;
    const filing = statusCode === 200 ? readFiling(value) : undefined;
    if (filing !== undefined) return filing;
    throw new ProbeFailure(
      'http_protocol',
      `the ICP source responded with ${statusCode} without data about the filing`,
    );
  }

  /**
   * Fetches from the source. A failure carries its code but no URL or address: these may have a key, or show the network
   * of the node.
   */
  async #fetch(request: JsonRequest, context: IcpContext): Promise<JsonAnswer> {
    try {
      return await fetchJson(request, context);
    } catch (error) {
      if (context.signal.aborted || !(error instanceof ProbeFailure)) throw error;
      throw new ProbeFailure(error.code, `cannot read the response of the ICP source (${error.code})`, {
        cause: error,
      });
    }
  }
}
