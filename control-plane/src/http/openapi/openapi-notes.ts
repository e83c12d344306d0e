import { POLLS_PER_MINUTE, POLLS_PER_REQUEST, routeLimitOf } from '../rate-limit.js';
import type { AnyRoute, OwnLimit, RouteLimit } from '../route.js';
import { accessSentence } from './openapi-access.js';

const origins: Readonly<Record<OwnLimit['from'], string>> = {
  address: 'one address',
  network: 'one network (IPv4 /24, IPv6 /48)',
};

/** Limit of an operation, as it follows "Counts against". */
function described(limit: RouteLimit): string {
  if (limit === 'standard') return 'the requests per minute of your plan';
  if (limit === 'none') return 'no limit';
  if (limit === 'poll') {
    return `${POLLS_PER_MINUTE} waiting requests per minute, or ${POLLS_PER_REQUEST} times the requests per minute of your plan if that is more`;
  }
  return `${limit.limit} requests per ${limit.per} from ${origins[limit.from]}`;
}

/** True if callers may send back an ETag. */
export function hasEtag({ isConditional, replies }: AnyRoute): boolean {
  return isConditional === true || 304 in replies;
}

/** Sentences about access, limits and repeating, from the definition: the end of every description. */
export function operationNotes(route: AnyRoute): string {
  const sentences = [accessSentence(route), limitSentence(route)];
  if (route.feature !== undefined) sentences.push(`Requires a plan that includes \`${route.feature.name}\`.`);
  if (route.method === 'POST') {
    sentences.push('Supports `Idempotency-Key`: a repeated request gets the first response again, for 24 hours.');
  }
  if (hasEtag(route)) sentences.push('Supports conditional requests with `If-None-Match`.');
  return sentences.join(' ');
}

function limitSentence(route: AnyRoute): string {
  const limit = routeLimitOf(route);
  if (typeof limit !== 'function') return `Counts against ${described(limit)}.`;
  const usual = limit('');
  const queries = Object.keys(route.query?.properties ?? {}).filter((parameter) => limit(`${parameter}=1`) !== usual);
  const others = queries.map((parameter) => `, with \`${parameter}\` against ${described(limit(`${parameter}=1`))}`);
  return `Counts against ${described(usual)}${others.join('')}.`;
}
