import t from 'tap';
import { type ErrorCode, errorTable, isErrorCode } from './error-table.js';
import { ApiError } from './errors.js';
import { locales } from './locale.js';

/** Every code of API specification 7, by the status it is sent with. */
const codesByStatus: Readonly<Record<number, string>> = {
  400: `VALIDATION_FAILED REQUEST_BODY_INVALID MONITOR_INVALID_INTERVAL AUTH_PASSWORD_WEAK AUTH_PASSWORD_REUSED
    ACCOUNT_LOCALE_UNSUPPORTED ACCOUNT_TIMEZONE_INVALID AUTH_OAUTH_STATE_INVALID AUTH_WEBAUTHN_CHALLENGE_INVALID
    AUTH_OTP_INVALID AUTH_OTP_EXPIRED`,
  401: `AUTH_REQUIRED AUTH_INVALID_TOKEN AUTH_EXPIRED TOKEN_EXPIRED API_KEY_REVOKED AUTH_SESSION_INVALID
    AUTH_CREDENTIALS_INVALID AUTH_2FA_REQUIRED AUTH_2FA_INVALID NODE_ENROLLMENT_TOKEN_INVALID`,
  403: `FORBIDDEN FEATURE_LOCKED AUTH_EMAIL_NOT_VERIFIED ACCOUNT_EMAIL_UNVERIFIED AUTH_ACCOUNT_DISABLED ACCOUNT_DELETED
    ONCALL_TEAM_MEMBER_REQUIRED`,
  404: `NOT_FOUND ACCOUNT_NOT_FOUND MONITOR_NOT_FOUND ALERT_RULE_NOT_FOUND ALERT_CHANNEL_NOT_FOUND
    ALERT_NOISE_RULE_NOT_FOUND BILLING_PLAN_NOT_FOUND BILLING_INVOICE_NOT_FOUND STATUS_PAGE_NOT_FOUND NODE_NOT_FOUND
    TEAM_NOT_FOUND API_KEY_NOT_FOUND PAT_NOT_FOUND POSTMORTEM_NOT_FOUND INCIDENT_NOT_FOUND PROBE_JOB_NOT_FOUND
    ONCALL_SCHEDULE_NOT_FOUND ONCALL_PARTICIPANT_NOT_FOUND`,
  405: 'NOT_FOUND',
  408: 'REQUEST_TIMEOUT',
  409: `CONFLICT DUPLICATE ACCOUNT_EMAIL_TAKEN ACCOUNT_USERNAME_TAKEN MONITOR_NAME_TAKEN MONITOR_PAUSED
    ALERT_RULE_CONFLICT NODE_STATE_CONFLICT NODE_ALREADY_BANNED NODE_NOT_BANNED STATUS_PAGE_SLUG_TAKEN
    STATUS_PAGE_DOMAIN_TAKEN TEAM_MEMBER_EXISTS AUTH_OAUTH_LINKED_OTHER_USER ONCALL_SCHEDULE_NAME_TAKEN`,
  413: 'REQUEST_BODY_INVALID',
  422: `VALIDATION_FAILED PROBE_TARGET_INVALID MONITOR_INVALID_TARGET ALERT_CHANNEL_INVALID TEAM_INVITE_INVALID
    STATUS_PAGE_DOMAIN_INVALID DIAGNOSE_REPORT_TOO_LONG BILLING_INSUFFICIENT_CREDITS BILLING_PAYMENT_FAILED`,
  429: `RATE_LIMIT_EXCEEDED QUOTA_EXCEEDED MONITOR_LIMIT_EXCEEDED TOKEN_LIMIT_EXCEEDED BILLING_QUOTA_EXCEEDED
    AUTH_OTP_ATTEMPTS_EXCEEDED`,
  431: 'REQUEST_BODY_INVALID',
  500: 'INTERNAL_ERROR UNKNOWN',
  502: 'BILLING_REFUND_FAILED NODE_UPGRADE_FAILED',
  503: 'UNAVAILABLE NODE_OFFLINE',
};

t.test('the table has every code of the specification with its statuses, and no other', async (t) => {
  const specified = Object.entries(codesByStatus).flatMap(([status, codes]) =>
    codes.split(/\s+/).map((code) => `${code} ${status}`),
  );
  const actual = Object.entries(errorTable).flatMap(([code, { statuses }]) =>
    statuses.map((status) => `${code} ${status}`),
  );
  t.strictSame(actual.toSorted(), specified.toSorted());
});

t.test('every code has a message in each of the three languages', async (t) => {
  for (const [code, { messages }] of Object.entries(errorTable)) {
    for (const locale of locales) t.ok(messages[locale].trim().length > 3, `${code} in ${locale}`);
    t.match(messages['zh-CN'], /\p{Script=Han}/u, `${code} in Chinese`);
    t.match(messages['zh-TW'], /\p{Script=Han}/u, `${code} in Chinese`);
    t.notMatch(messages.en, /\p{Script=Han}/u, `${code} in English`);
  }
});

t.test('isErrorCode knows the codes and nothing an object has by nature', async (t) => {
  t.equal(isErrorCode('NOT_FOUND'), true);
  for (const text of ['constructor', 'toString', '__proto__', 'not_found', '']) t.equal(isErrorCode(text), false, text);
});

t.test('an ApiError has the first status of its code, or one of the others when asked', async (t) => {
  t.equal(new ApiError('VALIDATION_FAILED').status, 400);
  t.equal(new ApiError('VALIDATION_FAILED', { status: 422 }).status, 422);
  t.throws(() => new ApiError('VALIDATION_FAILED', { status: 418 }), { name: 'RangeError' });
});

t.test('every 503 says when to come back', async (t) => {
  const codes = Object.keys(errorTable).filter((code) => errorTable[code as ErrorCode].statuses[0] === 503);
  t.strictSame(codes.toSorted(), ['NODE_OFFLINE', 'UNAVAILABLE']);
  for (const code of codes) t.equal(new ApiError(code as ErrorCode).retryAfterSeconds, 5);
  t.equal(new ApiError('UNAVAILABLE', { retryAfterSeconds: 60 }).retryAfterSeconds, 60);
  t.equal(new ApiError('NOT_FOUND').retryAfterSeconds, undefined);
});
