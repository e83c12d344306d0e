import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Block, NameOf } from './block.js';
import type { ReportTexts } from './texts.js';

interface Context {
  readonly texts: Pick<ReportTexts, 'from' | 'result' | 'missing'>;
  readonly nameOf: NameOf;
}

type Facts = Readonly<Record<string, unknown>>;

/** Measurements of a section. Facts that were cut from a large report are left out. Pure. */
export function factBlocks(name: SectionName, facts: Facts, context: Context): Block[] {
  if (name === 'security_headers') return headerBlocks(facts);
  const nodes = objectsIn(facts['nodes']) as unknown as NodeFacts[];
  const missing = textsIn(facts['missing_node_ids']);
  return [
    ...(nodes.length === 0 ? [] : [resultTable(name, nodes, context)]),
    ...(missing.length === 0 ? [] : [lines(context.texts.missing, missing.map(context.nameOf))]),
    ...nodes.flatMap((node) => detailBlock(name, node, context)),
    ...(name === 'dns' ? zoneBlocks(facts['zone']) : []),
  ];
}

/** Result of a node in the facts of a section. */
interface NodeFacts {
  readonly node_id: string;
  readonly success: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
}

function resultTable(type: ProbeType, nodes: readonly NodeFacts[], { texts, nameOf }: Context): Block {
  const { columns } = definitionOf(type);
  const rows = nodes.map((node) => {
    const { node_id, success, error } = node;
    const result = success
      ? 'ok'
      : [error?.code ?? 'failed', error?.message ?? ''].filter((text) => text !== '').join(': ');
    return [nameOf(node_id), result, ...columns.map(({ cell }) => (success ? cell(node) : ''))];
  });
  return { kind: 'table', head: [texts.from, texts.result, ...columns.map(({ title }) => title)], rows };
}

function detailBlock(type: ProbeType, node: NodeFacts, { nameOf }: Context): Block[] {
  const found = detailLines(type, node);
  return found.length === 0 ? [] : [lines(nameOf(node.node_id), found)];
}

function zoneBlocks(zone: unknown): Block[] {
  if (!isObject(zone)) return [];
  const servers = objectsIn(zone['servers']).map(({ name, address, outcome, serial }) =>
    [name, address, outcome, serial].map(valueText),
  );
  const found = objectsIn(zone['findings']).flatMap(({ code, facts }) =>
    isObject(facts) && Object.keys(facts).length > 0 ? [`${valueText(code)}: ${factsText(facts)}`] : [],
  );
  return [
    ...(servers.length === 0
      ? []
      : [{ kind: 'table' as const, head: ['Name server', 'Address', 'Outcome', 'Serial'], rows: servers }]),
    ...(found.length === 0 ? [] : [lines(valueText(zone['domain']), found)]),
  ];
}

function headerBlocks(facts: Facts): Block[] {
  const summary = ['url', 'final_url', 'grade'].flatMap((name) =>
    facts[name] === undefined ? [] : [[name, valueText(facts[name])]],
  );
  const hops = objectsIn(facts['hops']).map(({ status_code, url, ms }) => [status_code, url, ms].map(valueText));
  const security = isObject(facts['security']) ? Object.entries(facts['security']) : [];
  const cookies = objectsIn(facts['cookies']).map(({ name, secure, http_only, same_site }) =>
    [name, secure, http_only, same_site].map(valueText),
  );
  const tables: readonly { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }[] = [
    { head: ['Field', 'Value'], rows: [...summary, ...security.map(([name, value]) => [name, valueText(value)])] },
    { head: ['Status', 'URL', 'ms'], rows: hops },
    { head: ['Cookie', 'Secure', 'HttpOnly', 'SameSite'], rows: cookies },
  ];
  return tables.filter(({ rows }) => rows.length > 0).map((table) => ({ kind: 'table', ...table }));
}

function lines(title: string, texts: readonly string[]): Block {
  return { kind: 'lines', title, lines: texts };
}

function factsText(facts: Facts): string {
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${Array.isArray(value) ? value.map(valueText).join(', ') : valueText(value)}`)
    .join('; ');
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '-';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function isObject(value: unknown): value is Facts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function objectsIn(value: unknown): Facts[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : [];
}
