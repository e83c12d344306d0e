import { RateLimit } from './rate-limit.js';
import { type Answer, startVendor, type Vendor, type VendorOptions } from './vendor-server.js';

// https://www.twilio.com/docs/messaging/api/message-resource, https://www.twilio.com/docs/voice/api/call-resource
// https://www.twilio.com/docs/usage/twilios-response, https://www.twilio.com/docs/api/errors

/** Account that the stand-in knows, and numbers with a meaning. */
export const twilioAccount = {
  sid: 'AC00000000000000000000000000000000',
  token: 'tokentokentokentokentokentoken00',
  from: '+15005550006',
  invalid: '+15005550001',
  optedOut: '+15005550004',
  landline: '+15005550009',
} as const;

function failed(status: number, code: number, message: string): Answer {
  return { status, body: { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status } };
}

/** Answers that Twilio documents. */
export const twilioErrors = {
  unauthorized: failed(401, 20003, 'Authenticate'),
  too_many: failed(429, 20429, 'Too Many Requests'),
  invalid_number: failed(400, 21211, "The 'To' number is not a valid phone number."),
  invalid_callee: failed(400, 21217, 'Phone number does not appear to be valid'),
  opted_out: failed(400, 21610, 'Attempt to send to unsubscribed recipient'),
  not_mobile: failed(400, 21614, "'To' number is not a valid mobile number"),
  too_long: failed(400, 21617, 'The concatenated message body exceeds the 1600 character limit'),
  internal: failed(500, 20500, 'Internal Server Error'),
} as const satisfies Readonly<Record<string, Answer>>;

/** Starts the API of Twilio for messages and calls. */
export async function startTwilio(options: VendorOptions = {}): Promise<Vendor> {
  const { now = () => Date.now() } = options;
  const limit = new RateLimit(100, 1_000);
  const credentials = Buffer.from(`${twilioAccount.sid}:${twilioAccount.token}`).toString('base64');
  let last = 0;
  return startVendor(options, (request, take) => {
    const path = /^\/2010-04-01\/Accounts\/([^/]+)\/(Messages|Calls)\.json$/.exec(request.url.pathname);
    if (path === null || request.method !== 'POST') return failed(404, 20404, 'The requested resource was not found');
    const [, account, resource] = path;
    if (request.headers.authorization !== `Basic ${credentials}` || account !== twilioAccount.sid)
      return twilioErrors.unauthorized;
    if (limit.take('account', now()) > 0) return twilioErrors.too_many;
    const form = Object.fromEntries(new URLSearchParams(request.body.toString('utf8')));
    const { To = '', From = '', MessagingServiceSid = '', Body = '', Twiml = '' } = form;
    if (!/^\+[1-9]\d{6,14}$/.test(To) || To === twilioAccount.invalid) return twilioErrors.invalid_number;
    if (To === twilioAccount.optedOut) return twilioErrors.opted_out;
    if (To === twilioAccount.landline && resource === 'Messages') return twilioErrors.not_mobile;
    if (From === '' && MessagingServiceSid === '') return failed(400, 21603, "A 'From' phone number is required.");
    const text = resource === 'Messages' ? Body : spokenText(Twiml);
    if (text === null || text === '') return failed(400, 21602, 'Message body is required.');
    if (text.length > 1_600) return twilioErrors.too_long;
    take({ text, mentions: [], body: form });
    last += 1;
    const sid = `${resource === 'Messages' ? 'SM' : 'CA'}${String(last).padStart(32, '0')}`;
    return { status: 201, body: { sid, status: 'queued', to: To } };
  });
}

/** Words of a TwiML document with one `Say`; null if it is none. */
function spokenText(twiml: string): string | null {
  const said = /^<Response><Say language="[A-Za-z-]+" loop="[1-3]">([^<>]*)<\/Say><\/Response>$/.exec(twiml)?.[1];
  if (said === undefined || /&(?!(?:amp|lt|gt|quot|apos);)/.test(said)) return null;
  return said
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&');
}
