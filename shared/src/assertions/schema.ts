import { type Static, Type } from 'typebox';

/** Subjects of assertions. API specification 2.2. */
export const assertionTypes = [
  'status_code',
  'response_time',
  'body_contains',
  'body_regex',
  'json_path',
  'header_value',
  'ssl_days_remaining',
] as const;
export type AssertionType = (typeof assertionTypes)[number];

/** Operators that compare the found value with the expected one. API specification 2.2. */
export const assertionOps = ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'not_in', 'contains', 'regex'] as const;
export type AssertionOp = (typeof assertionOps)[number];

/** Monitor states that a failed assertion can lead to. */
export const severities = ['down', 'degraded'] as const;
export type Severity = (typeof severities)[number];

/** Assertions of one monitor at most. */
export const MAX_ASSERTIONS = 20;
/** Characters of a text in a value, of a pattern and of a JSONPath at most. */
export const MAX_VALUE_LENGTH = 256;

/** One thing that must be true of what a check measured; `checkAssertion` says what the schema cannot. */
export const AssertionSchema = Type.Object(
  {
    type: Type.Enum([...assertionTypes], {
      type: 'string',
      description: 'Measured value that the assertion compares.',
    }),
    op: Type.Enum([...assertionOps], {
      type: 'string',
      description:
        'Operator of the comparison. status_code: eq ne gt gte lt lte in not_in; response_time and ssl_days_remaining: gt gte lt lte; body_contains: contains, eq (same as contains), ne (does not contain); body_regex: regex, eq (same as regex), ne (does not match); json_path and header_value: all.',
    }),
    value: Type.Unknown({
      description:
        'Expected value: a number; a string of at most 256 characters; for in and not_in an array of at most 50; for regex a pattern in the syntax of RE2; for json_path with eq and ne any JSON of at most 2048 characters. A number beyond 2^53, or with more digits than a double keeps, is given as a string: json_path compares it with numbers by all digits. Milliseconds for response_time, days for ssl_days_remaining.',
    }),
    severity: Type.Enum([...severities], {
      type: 'string',
      default: 'down',
      description: 'State of the monitor if the assertion fails.',
    }),
    path: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_VALUE_LENGTH,
        description:
          'json_path: a JSONPath (RFC 9535, without functions). The assertion must be true for every selected value, and at least one value must be selected.',
      }),
    ),
    name: Type.Optional(
      Type.String({
        pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$",
        description: 'header_value: name of the response header, case-insensitive.',
      }),
    ),
  },
  { additionalProperties: false },
);
export type Assertion = Static<typeof AssertionSchema>;
