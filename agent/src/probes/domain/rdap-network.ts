import type { JsonAnswer } from '../http/fetch-json.js';
import { blocksOf, contains, rangeBetween } from './address-blocks.js';
import { entitiesOf, entityWithRole, isObject, publicContact } from './rdap-card.js';
import { datesIn, isNotFound, statusIn } from './rdap-reply.js';
import { bareRegistration, type Registration } from './registration.js';
import { cleanText, countryCode } from './registry-text.js';

/** Reads the answer to a question for an address (RFC 9083 section 5.4); null where it says nothing of it. */
export function readRdapNetwork(
  answer: Pick<JsonAnswer, 'statusCode' | 'contentType' | 'value'>,
  address: string,
): Registration | null {
  if (isNotFound(answer)) return bareRegistration(false);
  const { statusCode, value } = answer;
  if (statusCode !== 200 || !isObject(value) || value['objectClassName'] !== 'ip network') return null;
  const range = rangeBetween(value['startAddress'], value['endAddress']);
  if (range === null || !contains(range, address)) return null;
  const entities = entitiesOf(value['entities']);
  const registrant = publicContact(entityWithRole(entities, 'registrant'));
  return {
    ...bareRegistration(true),
    ...datesIn(value['events']),
    status: statusIn(value['status']),
    network: {
      handle: cleanText(value['handle']),
      name: cleanText(value['name']),
      cidrs: blocksOf(range),
      country: countryCode(value['country']) ?? registrant.country,
      organization: registrant.organization,
      abuse_email: publicContact(entityWithRole(entities, 'abuse')).roleEmail,
    },
  };
}
