import { compileSchema, type Validation } from '@vantage/shared/validation.js';
import type { ApiError } from '../errors.js';
import { findUntranslated } from '../field-messages/field-messages.js';
import type { AnyRoute, DataReply, RawReply, Reply } from '../route.js';
import { declaredErrors } from './declared-errors.js';

/** Checks of replies against the definition of their route; on in tests, off in production. */
export interface StrictChecks {
  /** @throws UndeclaredReplyError */
  checkReply(reply: Reply<unknown>): void;
  /** Checks the data of one Server-Sent Event. @throws UndeclaredReplyError */
  checkEvent(data: unknown): void;
  /** Complaint about an error that is not declared, a 429 without a limit, or a message without translations; null if there is none. */
  complaintOf(error: ApiError): string | null;
}

/** A route returned data that its definition does not declare: a fault of this program, shown as a 500. */
export class UndeclaredReplyError extends Error {
  override readonly name = 'UndeclaredReplyError';

  constructor(route: AnyRoute, complaint: string) {
    super(`operation "${route.operationId}" returned a response that it does not declare: ${complaint}`);
  }
}

/** Routes whose examples fit: programs that start a server many times check them once. */
const withFittingExamples = new WeakSet<AnyRoute>();

/** @throws RangeError if an example of the definition does not fit its schema */
export function compileStrictChecks(route: AnyRoute): StrictChecks {
  const errors = declaredErrors(route);
  const kind = route.replyKind ?? 'envelope';
  const schemas = new Map(Object.entries(route.replies).map(([status, schema]) => [Number(status), schema]));
  // compiled when first needed: a test calls only a few of the routes
  const validators = new Map<number, (value: unknown) => Validation<unknown>>();
  const validatorOf = (status: number) => {
    const schema = schemas.get(status);
    const validate = validators.get(status) ?? (schema && compileSchema(schema));
    if (validate) validators.set(status, validate);
    return validate;
  };
  const check = (status: number, value: unknown) => {
    const complaint = complaintAbout(validatorOf(status), value);
    if (complaint !== null) throw new UndeclaredReplyError(route, `${complaint} (status ${status})`);
  };
  const checkRaw = ({ status, raw }: RawReply) => {
    const isJson = kind === 'raw' && raw.contentType.startsWith('application/json') && raw.body.length > 0;
    if (isJson) check(status, JSON.parse(raw.body.toString()));
  };
  if (!withFittingExamples.has(route)) {
    checkBodyExample(route);
    checkReplyExample(route, validatorOf);
    withFittingExamples.add(route);
  }
  return {
    checkReply(reply) {
      const complaint = kindComplaint(reply, kind) ?? (schemas.has(reply.status) ? null : `status ${reply.status}`);
      if (complaint !== null) throw new UndeclaredReplyError(route, complaint);
      if ('raw' in reply) checkRaw(reply);
      else if ('data' in reply) check(reply.status, asSent(reply));
    },
    checkEvent: (data) => check(200, data),
    complaintOf(error) {
      const name = `error ${error.status} ${error.code}`;
      if (errors.get(error.status)?.has(error.code) !== true) return name;
      if (error.status === 429 && error.allowance === undefined) return `${name} without an allowance`;
      const message = findUntranslated(error.details ?? {});
      return message === null ? null : `${name} with a message that field-messages/catalog does not have: "${message}"`;
    },
  };
}

function checkBodyExample({ operationId, body, bodyExample }: AnyRoute): void {
  if (body === undefined || bodyExample === undefined) return;
  const result = compileSchema(body)(structuredClone(bodyExample));
  if (!result.ok) throw new RangeError(`body example of "${operationId}": ${JSON.stringify(result.details)}`);
}

/** The example is that of the first status (see openapi-replies.ts). */
function checkReplyExample(
  { operationId, replies, replyExample, replyKind }: AnyRoute,
  validatorOf: (status: number) => ((value: unknown) => Validation<unknown>) | undefined,
): void {
  if (replyExample === undefined || isText(replyKind)) return;
  const complaint = complaintAbout(validatorOf(Number(Object.keys(replies)[0])), structuredClone(replyExample));
  if (complaint !== null) throw new RangeError(`reply example of "${operationId}": ${complaint}`);
}

function kindComplaint(reply: Reply<unknown>, kind: NonNullable<AnyRoute['replyKind']>): string | null {
  const sent = (['raw', 'file', 'events'] as const).find((kind) => kind in reply) ?? 'envelope';
  const declared = isText(kind) ? 'raw' : kind;
  return sent === declared ? null : `a reply of kind ${sent}`;
}

function isText(kind: AnyRoute['replyKind']): boolean {
  return kind === 'html' || kind === 'text' || kind === 'svg';
}

function asSent({ data }: DataReply<unknown>): unknown {
  return JSON.parse(JSON.stringify(data ?? null));
}

/**
 * Complaint about a value, or null. Validation fills in defaults, which would hide a missing field of a reply, so a
 * changed value is a complaint too.
 */
function complaintAbout(
  validate: ((value: unknown) => Validation<unknown>) | undefined,
  value: unknown,
): string | null {
  if (validate === undefined) return 'status';
  const before = JSON.stringify(value);
  const result = validate(value);
  if (!result.ok) return JSON.stringify(result.details);
  return JSON.stringify(value) === before ? null : 'fields that have a default are missing';
}
