import { RateLimit } from './rate-limit.js';
import {
  type Answer,
  jsonBody,
  member,
  saysJson,
  startVendor,
  type Vendor,
  type VendorOptions,
} from './vendor-server.js';

// https://developer.pagerduty.com/docs/send-alert-event
// https://developer.pagerduty.com/docs/events-api-v2-overview (response codes and retry logic)

/** Key that the stand-in knows. */
export const pagerdutyKey = 'R0123456789ABCDEF0123456789ABCDE';

const MAX_BODY_BYTES = 512 * 1_024;

function invalid(...errors: readonly string[]): Answer {
  return { status: 400, body: { status: 'invalid event', message: 'Event object is invalid', errors } };
}

/** Answers that PagerDuty documents. */
export const pagerdutyErrors = {
  invalid_event: invalid("'routing_key' is invalid"),
  forbidden: { status: 403, body: { status: 'forbidden', message: 'Forbidden' } },
  too_often: {
    status: 429,
    body: { status: 'throttle exceeded', message: 'Requests for this service are arriving too quickly.' },
  },
  internal: { status: 500, body: 'Internal Server Error' },
} as const satisfies Readonly<Record<string, Answer>>;

/** Starts the Events API v2. */
export async function startPagerduty(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const limit = new RateLimit(120, 60_000);
  return startVendor(options, (request, take) => {
    if (request.url.pathname !== '/v2/enqueue' || request.method !== 'POST') return { status: 404, body: 'Not Found' };
    const body = saysJson(request) ? jsonBody(request) : null;
    if (body === null) return invalid('JSON is invalid');
    if (request.body.length > MAX_BODY_BYTES) return { status: 413, body: 'Payload Too Large' };
    if (body['routing_key'] !== pagerdutyKey) return pagerdutyErrors.invalid_event;
    if (limit.take(pagerdutyKey, now()) > 0) return pagerdutyErrors.too_often;
    const errors = eventErrors(body);
    if (errors.length > 0) return invalid(...errors);
    take({ text: String(member(body, 'payload')['summary'] ?? ''), mentions: [], body });
    return { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: body['dedup_key'] } };
  });
}

function eventErrors(body: Record<string, unknown>): string[] {
  const { event_action, dedup_key } = body;
  const errors: string[] = [];
  if (typeof dedup_key !== 'string' || dedup_key.length > 255) errors.push("'dedup_key' is invalid");
  if (event_action === 'acknowledge' || event_action === 'resolve') return errors;
  if (event_action !== 'trigger') return [...errors, "'event_action' is invalid"];
  const { summary, source, severity, timestamp } = member(body, 'payload');
  if (typeof summary !== 'string' || summary === '' || summary.length > 1_024)
    errors.push("'payload.summary' is invalid");
  if (typeof source !== 'string' || source === '') errors.push("'payload.source' is missing or blank");
  if (!['critical', 'error', 'warning', 'info'].includes(String(severity)))
    errors.push("'payload.severity' is invalid");
  if (timestamp !== undefined && Number.isNaN(Date.parse(String(timestamp))))
    errors.push("'payload.timestamp' is invalid");
  return errors;
}
