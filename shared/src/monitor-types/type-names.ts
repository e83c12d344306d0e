import { type MonitorType, monitorTypeNames } from './index.js';

/** Types that have a name, and that nothing checks yet. */
export const unsupportedMonitorTypes = ['llm_endpoint', 'tool_api', 'rag'] as const;

/** Types that no node checks by a probe. */
const furtherTypes = ['heartbeat', ...unsupportedMonitorTypes] as const;

/** The canonical name of any type there is a word for. API specification 2.2. */
export type MonitorTypeName = MonitorType | (typeof furtherTypes)[number];

/** Other names of types, each with the canonical one. */
export const monitorTypeSynonyms: ReadonlyMap<string, MonitorTypeName> = new Map([
  ['tcping', 'tcp'],
  ['ssl', 'ssl_expiry'],
  ['domain', 'domain_expiry'],
]);
const canonicalNames: ReadonlyMap<string, MonitorTypeName> = new Map(
  [...monitorTypeNames, ...furtherTypes].map((name) => [name, name]),
);

/** Every word for a type, the canonical ones first. */
export const monitorTypeWords: readonly string[] = [...canonicalNames.keys(), ...monitorTypeSynonyms.keys()];

/** The canonical name for a synonym of a type; null for an unknown name. */
export function parseTypeName(name: string): MonitorTypeName | null {
  return monitorTypeSynonyms.get(name) ?? canonicalNames.get(name) ?? null;
}
