import { accessSentence } from './openapi-access.js';
import {
  ENROLLMENTS_PER_MINUTE,
  limitNameOf,
  POLLS_PER_MINUTE,
  REGISTRATIONS_PER_HOUR,
  SIGN_INS_PER_MINUTE,
} from './rate-limit.js';
import type { AnyRoute, LimitName } from './route.js';

/** What an operation counts against, after "Counts against". */
const limits: Readonly<Record<LimitName, string>> = {
  standard: 'the requests a minute of your plan',
  poll: `${POLLS_PER_MINUTE} waiting requests a minute`,
  'sign-in': `${SIGN_INS_PER_MINUTE} attempts a minute from one address`,
  registration: `${REGISTRATIONS_PER_HOUR} accounts an hour from one address`,
  enrollment: `${ENROLLMENTS_PER_MINUTE} attempts a minute from one network (IPv4 /24, IPv6 /48)`,
  none: 'no limit',
};

/** Whether callers may send back an ETag. */
export function hasEtag({ isConditional, replies }: AnyRoute): boolean {
  return isConditional === true || 304 in replies;
}

/** What the definition says about access, limits and repeating, in sentences: the end of every description. */
export function operationNotes(route: AnyRoute): string {
  const sentences = [accessSentence(route), limitSentence(route)];
  if (route.method === 'POST') {
    sentences.push('With an `Idempotency-Key` a repeated request gets the first answer again, for 24 hours.');
  }
  if (hasEtag(route)) sentences.push('Has an ETag: who sends it back in `If-None-Match` gets 304 while it holds.');
  return sentences.join(' ');
}

function limitSentence(route: AnyRoute): string {
  const name = limitNameOf(route);
  if (typeof name === 'string') return `Counts against ${limits[name]}.`;
  const usual = name('');
  const queries = Object.keys(route.query?.properties ?? {}).filter((parameter) => name(`${parameter}=1`) !== usual);
  const others = queries.map((parameter) => `, with \`${parameter}\` against ${limits[name(`${parameter}=1`)]}`);
  return `Counts against ${limits[usual]}${others.join('')}.`;
}
