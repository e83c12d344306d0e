import type { Static } from 'typebox';
import { malformed } from '../target-policy/target-error.js';
import { parseHttpUrl } from '../target-policy/url.js';
import type { MonitorTypeDefinition } from './definition.js';
import { http } from './http.js';
import { httpSpec } from './http-request.js';

type Config = Static<typeof http.Config>;

/** An HTTPS request. */
export const https = {
  ...http,
  type: 'https',
  title: 'HTTPS',
  summary: 'An HTTPS request; certificates are verified, and assertions can compare their remaining days',
  exampleTarget: 'https://example.com/',
  toSpec: (target: string, config: Config) => {
    if (parseHttpUrl(target).url.protocol !== 'https:') throw malformed('target', 'it is not an https URL');
    return httpSpec(target, config);
  },
} satisfies MonitorTypeDefinition<typeof http.Config, 'http'>;
