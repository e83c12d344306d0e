import type { ProbeResults } from '../probe-types/index.js';

type HttpResult = ProbeResults['http'];

/** What a check measured, as far as assertions can be about it. */
export interface Facts {
  readonly statusCode: number | null;
  /** Of what the type of monitor measures. */
  readonly responseMs: number | null;
  /** Of the response, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Its text; null when there is none. */
  readonly body: string | null;
  /** There is more of it. */
  readonly isBodyTruncated: boolean;
  /** What was found of every text that a `body_contains` is about. */
  readonly keywords: NonNullable<HttpResult['keywords']>;
  /** What every JSONPath selects that a `json_path` is about. */
  readonly jsonPaths: NonNullable<HttpResult['json_paths']>;
  /** Whole days until the certificate of the server ends, negative after that; null without TLS. */
  readonly daysRemaining: number | null;
  /** Texts that no message may show. */
  readonly secrets: readonly string[];
}

/** Of a check that measured nothing. */
export const noFacts: Facts = {
  statusCode: null,
  responseMs: null,
  headers: {},
  body: null,
  isBodyTruncated: false,
  keywords: [],
  jsonPaths: [],
  daysRemaining: null,
  secrets: [],
};
