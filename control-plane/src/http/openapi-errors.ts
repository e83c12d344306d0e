import { fieldErrorCodes } from '@vantage/shared/validation.js';
import { Type } from 'typebox';
import { declaredErrors, frameErrors } from './declared-errors.js';
import { type ErrorCode, errorTable } from './error-table.js';
import { type Locale, localeNames, locales } from './locale.js';
import type { JsonObject, SchemaComponents } from './openapi-components.js';
import { type HeaderName, headerComponents, headerReferences, rateLimitHeaders } from './openapi-headers.js';
import type { AnyRoute } from './route.js';

const FieldProblem = Type.Object(
  { code: Type.Enum([...fieldErrorCodes], { type: 'string' }), message: Type.String() },
  { additionalProperties: false, title: 'FieldProblem' },
);

/** The error envelope (API specification 7). */
const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'Stable, for programs.' }),
        message: Type.String({ description: 'For people, in the language of Accept-Language.' }),
        request_id: Type.String(),
        details: Type.Optional(
          Type.Record(Type.String(), Type.Array(FieldProblem), { description: 'Dotted field path to what is wrong.' }),
        ),
        doc_url: Type.String({ format: 'uri', description: 'A page about the code.' }),
      },
      { additionalProperties: false },
    ),
    request_id: Type.String(),
  },
  { additionalProperties: false, title: 'Error' },
);

/** Refused before the request counts against a limit. */
const uncountedStatuses: ReadonlySet<number> = new Set([401, 403, 408, 413]);

/** The error responses of a document: what the frame adds is written once and referred to, as are all examples. */
export class ErrorComponents {
  readonly #responses = new Map<string, JsonObject>();
  readonly #codes = new Set<ErrorCode>();
  readonly #publicUrl: string;

  constructor(schemas: SchemaComponents, publicUrl: string) {
    schemas.refer(ErrorBody);
    this.#publicUrl = publicUrl;
    this.#responses.set('MethodNotAllowed', this.#response(405, ['NOT_FOUND'], ['Allow']));
  }

  /** Every error response of an operation, by status. */
  responsesOf(route: AnyRoute): JsonObject {
    const added = frameErrors(route);
    const byStatus = [...declaredErrors(route)].toSorted(([a], [b]) => a - b);
    const entries = byStatus.map(([status, codes]) => {
      const frame = added.get(status);
      const isShared = frame !== undefined && frame.codes.size === codes.size;
      return [status, isShared ? this.#refer(frame.name, status, codes) : this.#own(route, status, codes)];
    });
    return Object.fromEntries(entries);
  }

  /** `components.responses` */
  responses(): JsonObject {
    return Object.fromEntries([...this.#responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** `components.examples`: every code that an operation answers, in every language. */
  examples(): JsonObject {
    const codes = [...this.#codes].toSorted();
    return Object.fromEntries(
      codes.flatMap((code) => locales.map((locale) => [exampleName(code, locale), this.#example(code, locale)])),
    );
  }

  #refer(name: string, status: number, codes: ReadonlySet<ErrorCode>): JsonObject {
    if (!this.#responses.has(name)) this.#responses.set(name, this.#response(status, [...codes]));
    return { $ref: `#/components/responses/${name}` };
  }

  #own({ method }: AnyRoute, status: number, codes: ReadonlySet<ErrorCode>): JsonObject {
    const isKept = method === 'POST' && status < 500 && status !== 429 && !uncountedStatuses.has(status);
    return this.#response(status, [...codes], isKept ? ['Idempotent-Replayed'] : []);
  }

  #response(status: number, codes: readonly ErrorCode[], more: readonly HeaderName[] = []): JsonObject {
    for (const code of codes) this.#codes.add(code);
    const schema = {
      allOf: [
        { $ref: '#/components/schemas/Error' },
        { properties: { error: { properties: { code: { enum: [...codes] } } } } },
      ],
    };
    const names = codes.flatMap((code) => locales.map((locale) => exampleName(code, locale)));
    const examples = Object.fromEntries(names.map((name) => [name, { $ref: `#/components/examples/${name}` }]));
    return {
      description: codes.map((code) => this.#describe(code)).join('\n'),
      headers: headerReferences(['Content-Language', ...headersOf(status), ...more]),
      content: { 'application/json': { schema, examples } },
    };
  }

  #describe(code: ErrorCode): string {
    return `- [\`${code}\`](${this.#docUrl(code)}): ${errorTable[code].messages.en}`;
  }

  #example(code: ErrorCode, locale: Locale): JsonObject {
    const requestId = headerComponents['X-Request-Id'].example;
    const problem = { name: [{ code: 'required', message: 'is required' }] };
    const error = {
      code,
      message: errorTable[code].messages[locale],
      request_id: requestId,
      ...(code === 'VALIDATION_FAILED' ? { details: problem } : {}),
      doc_url: this.#docUrl(code),
    };
    return { summary: `${code} · ${localeNames[locale]}`, value: { error, request_id: requestId } };
  }

  #docUrl(code: ErrorCode): string {
    return `${this.#publicUrl}/docs/errors/${code}`;
  }
}

/** NOTE: as reply.ts sends them. */
function headersOf(status: number): readonly HeaderName[] {
  return [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(uncountedStatuses.has(status) || status === 405 ? [] : rateLimitHeaders),
  ];
}

function exampleName(code: ErrorCode, locale: Locale): string {
  return `${code}.${locale}`;
}
