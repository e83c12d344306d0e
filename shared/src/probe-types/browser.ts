import { type Static, Type } from 'typebox';
import { nullable } from '../nullable.js';
import type { Host } from '../target-policy/host.js';
import type { TargetPolicy } from '../target-policy/policy.js';
import { parseHttpUrl } from '../target-policy/url.js';
import type { MeasurementDefinition } from './definition.js';
import { nullableMilliseconds, nullableString, outcomeFields, targetField, timeoutParam } from './fields.js';

/** Complaints of a page that are kept, and characters of each. */
export const MAX_CONSOLE_ERRORS = 10;
export const MAX_CONSOLE_ERROR_LENGTH = 300;

const Params = Type.Object(
  {
    selector: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'CSS selector of an element that the page must contain.',
      }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 512, description: 'Text that must be visible on the page.' }),
    ),
    verify_tls: Type.Boolean({ default: true, description: 'Fail if the certificate is invalid.' }),
    timeout_ms: timeoutParam(
      5000,
      60000,
      30000,
      'Deadline from the start of the browser until the required content is on the page, in milliseconds.',
    ),
  },
  { additionalProperties: false },
);

const Spec = Type.Object(
  { target: targetField('An http or https URL.', 2048), params: Params },
  { additionalProperties: false },
);

const found = (description: string) => nullable(Type.Boolean(), description);
const count = (description: string) => Type.Integer({ minimum: 0, description });

const Result = Type.Object(
  {
    ...outcomeFields,
    status_code: nullable(Type.Integer(), 'Of the document.'),
    final_url: nullableString('Of the document, after redirects.'),
    title: nullableString('Of the document.'),
    load_ms: nullableMilliseconds('Navigation to the load event.'),
    timing: Type.Object(
      {
        ttfb_ms: nullableMilliseconds('Navigation to the first byte of the document.'),
        dom_content_loaded_ms: nullableMilliseconds('Navigation to the end of DOMContentLoaded.'),
      },
      { additionalProperties: false },
    ),
    selector_found: found('Null when it was not looked for.'),
    text_found: found('Null when it was not looked for.'),
    console_errors: Type.Array(Type.String({ maxLength: MAX_CONSOLE_ERROR_LENGTH }), {
      maxItems: MAX_CONSOLE_ERRORS,
      description: 'First errors that the page wrote to its console or threw.',
    }),
    requests: count('Requests of the page.'),
    refused: count('Connections of the page to targets that no probe may reach.'),
  },
  { additionalProperties: false },
);

type BrowserSpec = Static<typeof Spec>;

function targetHost({ target }: BrowserSpec): Host {
  return parseHttpUrl(target).host;
}

function checkTarget(spec: BrowserSpec, policy: TargetPolicy): void {
  policy.checkHost(targetHost(spec));
}

/** A page in a headless browser. */
export const browser = {
  type: 'browser',
  capability: 'browser',
  Params,
  Spec,
  Result,
  maxResultBytes: 64 * 1024,
  deadlineMs: ({ params }: BrowserSpec) => params.timeout_ms + 3000,
  blank: () => ({
    status_code: null,
    final_url: null,
    title: null,
    load_ms: null,
    timing: { ttfb_ms: null, dom_content_loaded_ms: null },
    selector_found: null,
    text_found: null,
    console_errors: [],
    requests: 0,
    refused: 0,
  }),
  targetHost,
  furtherHosts: () => [],
  checkTarget,
} satisfies MeasurementDefinition<typeof Spec, typeof Result> & { readonly Params: typeof Params };
