import { type MonitorType, monitorTypeNames } from './index.js';

/** Types that have a name and cannot be made. */
export const lockedMonitorTypes = ['llm_endpoint', 'tool_api', 'rag'] as const;

/** Types that no node checks by a probe. */
const furtherTypes = ['heartbeat', ...lockedMonitorTypes] as const;

/** The canonical name of any type there is a word for. API specification 2.2. */
export type MonitorTypeName = MonitorType | (typeof furtherTypes)[number];

const synonyms: ReadonlyMap<string, MonitorTypeName> = new Map([
  ['tcping', 'tcp'],
  ['ssl', 'ssl_expiry'],
  ['domain', 'domain_expiry'],
]);
const canonicalNames: ReadonlyMap<string, MonitorTypeName> = new Map(
  [...monitorTypeNames, ...furtherTypes].map((name) => [name, name]),
);

/** The canonical name for what people call a type; null where nobody does. */
export function parseTypeName(name: string): MonitorTypeName | null {
  return synonyms.get(name) ?? canonicalNames.get(name) ?? null;
}
