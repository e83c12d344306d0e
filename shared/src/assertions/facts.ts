import type { ProbeResults } from '../probe-types/index.js';

type HttpResult = ProbeResults['http'];

/** Measurements of a check that assertions can refer to. */
export interface Facts {
  readonly statusCode: number | null;
  /** Response time as the monitor's type defines it. */
  readonly responseMs: number | null;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** True if the response has headers that are not in `headers`. */
  readonly areHeadersTruncated: boolean;
  /** Text of the body; null when there is none. */
  readonly body: string | null;
  /** True if the body is longer than `body`. */
  readonly isBodyTruncated: boolean;
  /** Search result for every text that a `body_contains` assertion names. */
  readonly keywords: NonNullable<HttpResult['keywords']>;
  /** Values selected by every JSONPath that a `json_path` assertion names. */
  readonly jsonPaths: NonNullable<HttpResult['json_paths']>;
  /** Whole days until the certificate of the server or of an authority ends, negative after that; null without TLS. */
  readonly daysRemaining: number | null;
  /** Subject of the authority whose certificate ends first; null if the server's own does. */
  readonly endsFirst: string | null;
  /** Texts that no message may show. */
  readonly secrets: readonly string[];
}

/** Facts of a check that measured nothing. */
export const noFacts: Facts = {
  statusCode: null,
  responseMs: null,
  headers: {},
  areHeadersTruncated: false,
  body: null,
  isBodyTruncated: false,
  keywords: [],
  jsonPaths: [],
  daysRemaining: null,
  endsFirst: null,
  secrets: [],
};
