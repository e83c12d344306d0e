import { fieldErrorCodes } from '@vantage/shared/validation.js';
import { Type } from 'typebox';
import { type ErrorCode, errorTable } from '../error-table.js';
import { messageIn } from '../field-messages/field-messages.js';
import { declaredErrors, type FrameErrors, frameErrors } from '../frame/declared-errors.js';
import { type Locale, localeNames, locales } from '../locale.js';
import type { AnyRoute } from '../route.js';
import type { JsonObject, SchemaComponents } from './openapi-components.js';
import { type HeaderName, headerComponents, headerReferences, rateLimitHeaders } from './openapi-headers.js';

const FieldProblem = Type.Object(
  {
    code: Type.Enum([...fieldErrorCodes], { type: 'string', description: 'Stable code, for programs.' }),
    message: Type.String({
      description:
        'Message for people, in the language of Accept-Language; words of servers and libraries in it are not translated.',
    }),
  },
  { additionalProperties: false, title: 'FieldProblem' },
);

/** The error envelope (API specification 7). */
const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: Type.String({ description: 'Stable code, for programs.' }),
        message: Type.String({ description: 'Message for people, in the language of Accept-Language.' }),
        request_id: Type.String(),
        details: Type.Optional(
          Type.Record(Type.String(), Type.Array(FieldProblem), {
            description: 'Problems of each field, by dotted field path.',
          }),
        ),
        meta: Type.Optional(
          Type.Record(Type.String(), Type.Unknown(), {
            description: 'What a program needs to continue, where the operation says so.',
          }),
        ),
        doc_url: Type.String({ format: 'uri', description: 'Page that explains the code.' }),
      },
      { additionalProperties: false },
    ),
    request_id: Type.String(),
  },
  { additionalProperties: false, title: 'Error' },
);

interface OperationError {
  readonly status: number;
  readonly codes: ReadonlySet<ErrorCode>;
  /** Codes that the frame adds. */
  readonly frame: FrameErrors | undefined;
}

/** Statuses of refusals that do not count against a limit. */
const uncountedStatuses: ReadonlySet<number> = new Set([401, 403, 408, 413]);

/** Error responses of a document; each response and example is written once and referenced. */
export class ErrorComponents {
  readonly #responses = new Map<string, JsonObject>();
  /** Headers and codes of each of them, of which the rest is made. */
  readonly #facts = new Map<string, string>();
  readonly #codes = new Set<ErrorCode>();
  readonly #publicUrl: string;

  constructor(schemas: SchemaComponents, publicUrl: string) {
    schemas.refer(ErrorBody);
    this.#publicUrl = publicUrl;
    this.#responses.set('MethodNotAllowed', this.#response(405, ['NOT_FOUND'], ['Allow']));
  }

  /** References to every error response of an operation, by status. */
  responsesOf(route: AnyRoute): JsonObject {
    const added = frameErrors(route);
    const byStatus = [...declaredErrors(route)].toSorted(([a], [b]) => a - b);
    return Object.fromEntries(
      byStatus.map(([status, codes]) => [status, this.#refer(route, { status, codes, frame: added.get(status) })]),
    );
  }

  /** `components.responses` */
  responses(): JsonObject {
    return Object.fromEntries([...this.#responses].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** `components.examples`: every code that an operation returns, in every language. */
  examples(): JsonObject {
    const codes = [...this.#codes].toSorted();
    return Object.fromEntries(
      codes.flatMap((code) => locales.map((locale) => [exampleName(code, locale), this.#example(code, locale)])),
    );
  }

  #refer(route: AnyRoute, { status, codes, frame }: OperationError): JsonObject {
    const own = [...codes].filter((code) => !frame?.codes.has(code));
    const isReplayed = own.length > 0 && isKept(route, status);
    const names = [...(frame === undefined ? [] : [frame.name]), ...own.map(pascalCase)];
    const name = `${names.join('Or')}${isReplayed ? 'OrReplay' : ''}`;
    const facts = [...headersOf(status), ...codes].join(' ');
    const known = this.#facts.get(name);
    if (known !== undefined && known !== facts)
      throw new RangeError(`two different error responses have the name "${name}"`);
    if (known === undefined) {
      this.#facts.set(name, facts);
      this.#responses.set(name, this.#response(status, [...codes], isReplayed ? ['Idempotent-Replayed'] : []));
    }
    return { $ref: `#/components/responses/${name}` };
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
    const problem = { name: [{ code: 'required', message: messageIn('is required', locale).text }] };
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

/** Headers of error responses. NOTE: as reply.ts sends them. */
function headersOf(status: number): readonly HeaderName[] {
  return [
    ...(status === 401 ? (['WWW-Authenticate'] as const) : []),
    ...(status === 429 || status === 503 ? (['Retry-After'] as const) : []),
    ...(status === 429 ? (['X-RateLimit-Window'] as const) : []),
    ...(uncountedStatuses.has(status) || status === 405 ? [] : rateLimitHeaders),
  ];
}

function exampleName(code: ErrorCode, locale: Locale): string {
  return `${code}.${locale}`;
}

/** True if a refusal is stored for an Idempotency-Key. */
function isKept({ method }: AnyRoute, status: number): boolean {
  return method === 'POST' && status < 500 && status !== 429 && !uncountedStatuses.has(status);
}

/** `NODE_NOT_FOUND` as `NodeNotFound`. */
function pascalCase(code: ErrorCode): string {
  return code
    .split('_')
    .map((word) => `${word[0]}${word.slice(1).toLowerCase()}`)
    .join('');
}
