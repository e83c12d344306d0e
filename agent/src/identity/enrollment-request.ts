import type { Clock } from '@vantage/shared/clock.js';
import { retryAfterMs } from '@vantage/shared/headers/retry-after.js';
import { textCell } from '@vantage/shared/probe-types/cells.js';
import { isUntrusted, isWithoutTls, untrustedText } from '@vantage/shared/tls-failures.js';
import { type Dispatcher, request } from 'undici';
import { EnrollmentInputError, EnrollmentRefusedError, EnrollmentUnansweredError } from './errors.js';
import { type Identity, isPublicKey, isUrlList, parseObject } from './identity.js';
import { WrongPinError } from './tls-pins.js';

/** Body of an enrollment request; members as in POST /v1/nodes/enroll (API specification 2.6). */
export interface EnrollmentRequest {
  readonly token: string;
  /** Raw, base64. */
  readonly public_key: string;
  readonly proof: string;
  readonly name?: string;
  readonly hostname: string;
  readonly version: string;
  readonly os: string;
  readonly arch: string;
  readonly capabilities: readonly string[];
  readonly declared?: DeclaredPlace;
}

/** Location of the node as the operator declares it. */
export interface DeclaredPlace {
  readonly country?: string;
  readonly province?: string;
  readonly region?: string;
  readonly city?: string;
  readonly asn?: number;
  readonly provider?: string;
  readonly tags?: readonly string[];
}

/** Response of the control plane to a node that it enrolls. */
export type EnrollmentReply = Omit<Identity, 'name' | 'enrolledAt' | 'tlsPins'>;

const TIMEOUT_MS = 15_000;
/**
 * Deadline from dialling to the last byte: one byte now and then, or endless interim responses, would restart the
 * deadline of each part.
 */
const WHOLE_ANSWER_MS = 30_000;
const MAX_REPLY_BYTES = 64 * 1024;

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/**
 * One POST /v1/nodes/enroll; redirects are not followed, proxies of the environment not used.
 * @throws EnrollmentUnansweredError, EnrollmentRefusedError, EnrollmentInputError where the URL has the wrong scheme
 */
export async function requestEnrollment(
  origin: string,
  body: EnrollmentRequest,
  { dispatcher, clock }: { readonly dispatcher: Dispatcher; readonly clock: Clock },
): Promise<EnrollmentReply> {
  const giveUp = new AbortController();
  const tooSlow = new Error(`no complete response within ${WHOLE_ANSWER_MS / 1000} s`);
  const cancel = clock.after(WHOLE_ANSWER_MS, () => giveUp.abort(tooSlow));
  const sending = { dispatcher, signal: giveUp.signal };
  const { status, retryAfter, text } = await post(origin, JSON.stringify(body), sending).finally(cancel);
  const found = parseObject(text);
  // some servers explain themselves without TLS
  if (status === 400 && found === null && (await speaksTls(origin, sending))) throw wrongScheme(origin);
  const document = found ?? {};
  // text from another machine is printed on a terminal
  const hide = (message: string) => textCell(message.replaceAll(body.token, '[token]'));
  const waitMs = retryAfterMs(retryAfter, clock.now());
  if (status === 429) {
    throw new EnrollmentUnansweredError(hide(describeLimit(origin, document['error'], waitMs)), waitMs);
  }
  if (status === 408 || status >= 500)
    throw new EnrollmentUnansweredError(`${origin} responded with status ${status}`, waitMs);
  if (status >= 300) throw judgeRefusal(origin, status, document['error'], hide);
  const reply = parseReply(document['data']);
  const plain = origin.startsWith('https:') ? reply?.controlUrls.find((url) => !/^(https|wss):/.test(url)) : undefined;
  if (plain !== undefined) throw unencryptedLink(origin, plain);
  if (reply === null) throw notVantage(origin, status);
  return reply;
}

interface Sending {
  readonly dispatcher: Dispatcher;
  readonly signal: AbortSignal;
}

async function post(origin: string, body: string, { dispatcher, signal }: Sending): Promise<Answer> {
  try {
    const response = await request(`${origin}/v1/nodes/enroll`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      dispatcher,
      signal,
      headersTimeout: TIMEOUT_MS,
      bodyTimeout: TIMEOUT_MS,
    });
    const header = response.headers['retry-after'];
    const retryAfter = typeof header === 'string' ? header : null;
    return { status: response.statusCode, retryAfter, text: await readText(response.body) };
  } catch (cause) {
    const isCutOff = /SOCKET|ECONNRESET|EPIPE|HPE/.test(codeOf(cause));
    if (isWithoutTls(cause) || (isCutOff && (await speaksTls(origin, { dispatcher, signal }))))
      throw wrongScheme(origin);
    throw judgeFailure(origin, cause);
  }
}

async function readText(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A certificate does not become good by another request; anything else may. */
function judgeFailure(origin: string, cause: unknown): EnrollmentRefusedError | EnrollmentUnansweredError {
  if (cause instanceof WrongPinError) return new EnrollmentRefusedError('wrong_pin', cause.message);
  if (isUntrusted(cause)) return new EnrollmentRefusedError('UNTRUSTED', untrustedText(origin, describe(cause)));
  return new EnrollmentUnansweredError(`no response from ${origin}: ${describe(cause)}`, null, { cause });
}

/** True if the server of a http URL speaks TLS on this port. */
async function speaksTls(origin: string, { dispatcher, signal }: Sending): Promise<boolean> {
  if (!origin.startsWith('http:')) return false;
  try {
    const { body } = await request(otherScheme(origin), { dispatcher, signal, headersTimeout: TIMEOUT_MS });
    await body.dump();
    return true;
  } catch (error) {
    return isUntrusted(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

function wrongScheme(origin: string): EnrollmentInputError {
  const says = origin.startsWith('http:') ? 'uses TLS' : 'responds without TLS';
  return new EnrollmentInputError(`${new URL(origin).host} ${says}: use --url ${otherScheme(origin)}`);
}

/** The origin with the scheme that it lacks, and its port. */
function otherScheme(origin: string): string {
  const { protocol, hostname, port } = new URL(origin);
  const [scheme, usualPort] = protocol === 'http:' ? ['https', '80'] : ['http', '443'];
  return `${scheme}://${hostname}:${port || usualPort}`;
}

function notVantage(origin: string, status: number): EnrollmentRefusedError {
  return new EnrollmentRefusedError('UNKNOWN', `${origin} is not a Vantage control plane (status ${status})`);
}

function judgeRefusal(
  origin: string,
  status: number,
  error: unknown,
  hide: (message: string) => string,
): EnrollmentRefusedError {
  const { code, message, details } = typeof error === 'object' && error !== null ? { ...NO_ERROR, ...error } : NO_ERROR;
  switch (code) {
    case 'NODE_ENROLLMENT_TOKEN_INVALID':
      return new EnrollmentRefusedError(
        code,
        'the token is unknown, used, expired or revoked: request a new one, created by `vantage-control enrollment-token create` or POST /v1/nodes/enrollment-tokens',
      );
    case 'VALIDATION_FAILED':
      return new EnrollmentRefusedError(code, hide(describeFields(origin, details)));
    case 'FEATURE_LOCKED':
      return new EnrollmentRefusedError(
        code,
        'the owner of this token has as many nodes as the plan allows: delete one, or use a larger plan; the token remains valid',
      );
    case 'CONFLICT':
      return new EnrollmentRefusedError(
        code,
        'this key already belongs to another node: remove key.pem from the state directory and try again',
      );
    case '':
      return notVantage(origin, status);
    default:
      return new EnrollmentRefusedError(code, hide(`${origin} refused the enrollment: ${message} (${code})`));
  }
}

const NO_ERROR: { code: string; message: string; details: unknown } = { code: '', message: '', details: {} };

/** Too many of its network tried, or too many nodes of one owner enrolled: the token is as good as before. */
function describeLimit(origin: string, error: unknown, waitMs: number | null): string {
  const { details } = typeof error === 'object' && error !== null ? { ...NO_ERROR, ...error } : NO_ERROR;
  const fields = typeof details === 'object' && details !== null ? Object.entries(details) : [];
  const why = listComplaints(fields) || 'too many agents, or wrong tokens, from this network';
  const wait =
    waitMs === null ? '' : ` for ${waitMs < 120_000 ? `${waitMs / 1000} s` : `${Math.ceil(waitMs / 60_000)} min`}`;
  return `${origin} refuses enrollments${wait}: ${why} (429); the token remains valid`;
}

function unencryptedLink(origin: string, url: string): EnrollmentRefusedError {
  const message = `${origin} uses links without encryption, at "${url}": its VANTAGE_PUBLIC_URL must be https`;
  return new EnrollmentRefusedError('unencrypted_link', message);
}

function describeFields(origin: string, details: unknown): string {
  const fields = typeof details === 'object' && details !== null ? Object.entries(details) : [];
  if (fields.some(([field]) => field === 'proof' || field === 'audience')) {
    return `the control plane has another URL than "${origin}": enroll with the --url of its VANTAGE_PUBLIC_URL (${listComplaints(fields)})`;
  }
  return `the control plane does not accept ${listComplaints(fields) || 'the request'}`;
}

function listComplaints(fields: readonly (readonly [string, unknown])[]): string {
  return fields
    .flatMap(([field, complaints]) =>
      (Array.isArray(complaints) ? complaints : []).map((complaint) => `${optionOf(field)}: ${complaint?.message}`),
    )
    .join('; ')
    .slice(0, 500);
}

/** Option of `enroll` for a field of what a node declares, or the field: `declared.country` is `--country`. */
function optionOf(field: string): string {
  const declared = /^declared\.([a-z]+)/.exec(field)?.[1];
  return declared === undefined ? field : `--${declared === 'tags' ? 'tag' : declared}`;
}

/** Parses a reply; null when a member is missing or has the wrong form. */
function parseReply(data: unknown): EnrollmentReply | null {
  if (typeof data !== 'object' || data === null) return null;
  const { node_id, control_urls, server_public_key, audience }: Record<string, unknown> = { ...data };
  if (typeof node_id !== 'string' || typeof audience !== 'string') return null;
  if (!isUrlList(control_urls) || !isPublicKey(server_public_key)) return null;
  return { nodeId: node_id, controlUrls: control_urls, serverPublicKey: server_public_key, audience };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'TimeoutError') return `no connection within ${TIMEOUT_MS / 1000} s`;
  // if a name has several addresses, only the inner errors give the reason why connecting failed
  const parts = error instanceof AggregateError ? error.errors.map((part: unknown) => describe(part)) : [];
  return error.message || parts.join(', ') || error.name;
}
