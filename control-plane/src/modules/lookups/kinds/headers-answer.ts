import { severities } from '@vantage/shared/diagnose/finding-rule.js';
import { headerReasons, securityHeaders } from '@vantage/shared/headers/analyse-headers.js';
import { headerCodes, headerGrades } from '@vantage/shared/headers/header-grades.js';
import { nullable } from '@vantage/shared/nullable.js';
import { ProbeErrorSchema } from '@vantage/shared/probe-types/error-codes.js';
import { type Static, type TOptional, type TString, Type } from 'typebox';

const closed = { additionalProperties: false } as const;
const oneOf = <V extends string>(values: readonly V[], description: string) =>
  Type.Enum([...values], { type: 'string', description });

const Hop = Type.Object(
  {
    url: Type.String(),
    status_code: Type.Integer(),
    location: nullable(Type.String(), 'URL that the response leads to; null for the final response.'),
    ms: nullable(Type.Number({ minimum: 0 }), 'Duration of this hop, in milliseconds; null if it was not completed.'),
  },
  closed,
);

const Cookie = Type.Object(
  {
    name: Type.String(),
    secure: Type.Boolean(),
    http_only: Type.Boolean(),
    same_site: nullable(oneOf(['Strict', 'Lax', 'None'], 'Value of SameSite.'), 'Null without a known value.'),
  },
  closed,
);

const Finding = Type.Object(
  {
    code: oneOf(headerCodes, 'Stable code; branch on this.'),
    severity: oneOf(severities, 'Worst first.'),
    message: Type.String({ description: 'In the language of the caller, for display only.' }),
    header: nullable(Type.String(), 'Header that the finding is about, in lower case; null: none.'),
  },
  closed,
);

const security = Object.fromEntries(
  Object.entries(securityHeaders).map(([field, header]) => [
    field,
    Type.Optional(Type.String({ description: `Value of \`${header}\`.` })),
  ]),
) as Record<keyof typeof securityHeaders, TOptional<TString>>;

/** Schema of an analysis of headers (API specification 2.7). */
export const HeadersData = Type.Object(
  {
    url: Type.String({ description: 'URL that was requested, in canonical form; a scheme may have been added.' }),
    domain: nullable(Type.String(), 'Host of this URL in A-labels; null for an address.'),
    unicode_domain: nullable(Type.String(), 'This domain in Unicode.'),
    final_url: nullable(Type.String(), 'URL of the final response; null if there was none.'),
    hops: Type.Array(Hop, {
      maxItems: 6,
      description: 'Responses on the way, the final one last. At most 5 redirects are followed.',
    }),
    headers: Type.Record(Type.String(), Type.String(), {
      description:
        'Headers of the final response: names in lower case, several values joined by comma and space. Cookies have no values.',
    }),
    cookies: Type.Array(Cookie, { description: 'Cookies that the final response sets, without their values.' }),
    security: Type.Object(
      {
        cdn: Type.Optional(Type.String({ description: 'CDN that served the response.' })),
        ...security,
      },
      { ...closed, description: 'Headers that matter for security and delivery; empty values are omitted.' },
    ),
    analysis: Type.Object(
      {
        insecure: nullable(
          Type.Boolean(),
          'True with the reason no_https_redirect or no_hsts; null if there was no final response.',
        ),
        reasons: Type.Array(oneOf(headerReasons, 'Reason.'), { description: 'Reasons that apply.' }),
      },
      closed,
    ),
    grade: nullable(
      oneOf(headerGrades, 'Best grade first.'),
      'Lowest grade that the findings allow; null if there was no response, or if it is not that of the site.',
    ),
    findings: Type.Array(Finding, { description: 'Findings, worst first.' }),
    error: nullable(ProbeErrorSchema, 'Reason why there was no final response; null if there was one.'),
  },
  { ...closed, title: 'HeadersLookup' },
);

/** Analysis of the headers of a site, as the lookup returns it. */
export type HeadersAnswer = Static<typeof HeadersData>;
