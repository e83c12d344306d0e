import { organizationOf, phoneNumber, roleEmail } from './personal-data.js';
import { cleanText, countryCode } from './registry-text.js';

type JsonObject = Readonly<Record<string, unknown>>;

/** Depth and number of the entities of a response that are read. */
const MAX_DEPTH = 3;
const MAX_ENTITIES = 200;

/** Members of a contact that may be shown; whatever a person could be recognised by is null. */
export interface PublicContact {
  readonly organization: string | null;
  readonly country: string | null;
  readonly roleEmail: string | null;
  readonly rolePhone: string | null;
}

/** Entities of a response with those below them, each with its roles (RFC 9083 section 5.1). */
export function entitiesOf(value: unknown, depth = 0): JsonObject[] {
  if (!Array.isArray(value) || depth >= MAX_DEPTH) return [];
  const found: JsonObject[] = [];
  for (const entity of value.slice(0, MAX_ENTITIES)) {
    if (isObject(entity)) found.push(entity, ...entitiesOf(entity['entities'], depth + 1));
    if (found.length >= MAX_ENTITIES) break;
  }
  return found.slice(0, MAX_ENTITIES);
}

/** The first entity that has a role; null without one. */
export function entityWithRole(entities: readonly JsonObject[], role: string): JsonObject | null {
  return entities.find(({ roles }) => Array.isArray(roles) && roles.includes(role)) ?? null;
}

/** Public members of an entity's contact, a jCard (RFC 7095). */
export function publicContact(entity: JsonObject | null): PublicContact {
  const card = cardOf(entity);
  const kind = textOf(card, 'kind')?.toLowerCase() ?? null;
  const contact = { kind, fullName: textOf(card, 'fn'), organization: textOf(card, 'org') };
  const email = roleEmail(contact, textOf(card, 'email'));
  return {
    organization: organizationOf(contact),
    country: countryIn(card),
    roleEmail: email,
    // a number without a mailbox of a role may be that of a person
    rolePhone: email === null ? null : phoneNumber(textOf(card, 'tel')),
  };
}

/** Name of a registrar, which is a company; of a person who is one, its identifier at the registry. */
export function registrarName(entity: JsonObject): string | null {
  const card = cardOf(entity);
  const isPerson = textOf(card, 'kind')?.toLowerCase() === 'individual';
  const name = isPerson ? textOf(card, 'org') : (textOf(card, 'fn') ?? textOf(card, 'org'));
  return name ?? cleanText(entity['handle']);
}

/** True if a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Property of a jCard: its name, parameters, type and value. */
type Property = readonly [string, unknown, unknown, unknown];

function cardOf(entity: JsonObject | null): Property[] {
  const card = entity?.['vcardArray'];
  const properties: unknown = Array.isArray(card) ? card[1] : null;
  if (!Array.isArray(properties)) return [];
  return properties.slice(0, MAX_ENTITIES).filter((one): one is Property => Array.isArray(one) && one.length >= 4);
}

/** The first part of the first value of a property. */
function textOf(card: readonly Property[], wanted: string): string | null {
  for (const [name, , , value] of card) {
    const text = name === wanted ? cleanText(Array.isArray(value) ? value[0] : value) : null;
    if (text !== null) return text;
  }
  return null;
}

/** Country of the first address: the parameter of RFC 8605, or the last component where it is a code. */
function countryIn(card: readonly Property[]): string | null {
  const [, parameters, , value] = card.find(([name]) => name === 'adr') ?? [];
  const code = isObject(parameters) ? countryCode(parameters['cc']) : null;
  return code ?? countryCode(Array.isArray(value) ? value.at(-1) : null);
}
