import type { SectionName } from '@vantage/shared/diagnose/finding-table.js';
import { securityHeaders } from '@vantage/shared/headers/analyse-headers.js';
import { msCell } from '@vantage/shared/probe-types/cells.js';
import { detailLines } from '@vantage/shared/probe-types/detail-lines.js';
import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';
import { verdictOf } from '@vantage/shared/probe-types/verdict.js';
import type { Locale } from '../../../http/locale.js';
import { columnTitle } from '../../pages/index.js';
import type { NodeResultView } from '../../probes/index.js';
import type { Block, NameOf } from './block.js';
import type { ReportTexts } from './texts.js';

interface Context {
  readonly texts: Pick<ReportTexts, 'from' | 'result' | 'verdicts' | 'yes' | 'no' | 'outcomes'>;
  readonly nameOf: NameOf;
  readonly locale: Locale;
}

type Facts = Readonly<Record<string, unknown>>;

/** Results of nodes in the facts of a section; those that were cut from a large report are left out. */
export function nodeResults(facts: Facts): NodeResultView[] {
  return objectsIn(facts['nodes']) as unknown as NodeResultView[];
}

/** Nodes of which a section has no result. */
export function missingNodes(facts: Facts): string[] {
  const missing = facts['missing_node_ids'];
  return Array.isArray(missing) ? missing.filter((id) => typeof id === 'string') : [];
}

/** Results of nodes as texts: a table, and the details of each node. Pure. */
export function nodeBlocks(type: ProbeType, facts: Facts, context: Context): Block[] {
  const nodes = nodeResults(facts);
  if (nodes.length === 0) return [];
  return [resultTable(type, nodes, context), ...nodes.flatMap((node) => detailBlock(type, node, context))];
}

/** Measurements of a section that are not those of single nodes. Pure. */
export function sectionBlocks(name: SectionName, facts: Facts, context: Context): Block[] {
  if (name === 'security_headers') return headerBlocks(facts, context);
  return name === 'dns' ? zoneBlocks(facts['zone'], context) : [];
}

function resultTable(type: ProbeType, nodes: readonly NodeResultView[], { texts, nameOf, locale }: Context): Block {
  const { columns } = definitionOf(type);
  const rows = nodes.map((node) => {
    const { node_id, success, error } = node;
    const { word } = verdictOf(type, node, texts.verdicts);
    const result = [word, error?.message ?? ''].filter((text) => text !== '').join(': ');
    return [nameOf(node_id), result, ...columns.map(({ cell }) => (success ? wordIn(cell(node), texts) : ''))];
  });
  return {
    kind: 'table',
    head: [texts.from, texts.result, ...columns.map(({ title }) => titleIn(title, locale))],
    rows,
  };
}

function detailBlock(type: ProbeType, node: NodeResultView, { nameOf }: Context): Block[] {
  const found = detailLines(type, node);
  return found.length === 0 ? [] : [{ kind: 'lines', title: nameOf(node.node_id), lines: found }];
}

function zoneBlocks(zone: unknown, { texts, locale }: Context): Block[] {
  if (!isObject(zone)) return [];
  const servers = objectsIn(zone['servers']).map(({ name, address, outcome, serial }) => [
    ...[name, address].map(valueText),
    (texts.outcomes as Readonly<Record<string, string>>)[String(outcome)] ?? valueText(outcome),
    valueText(serial),
  ]);
  const found = objectsIn(zone['findings']).flatMap(({ code, facts }) =>
    isObject(facts) && Object.keys(facts).length > 0 ? [`${valueText(code)}: ${factsText(facts)}`] : [],
  );
  return [
    ...tables([{ titles: ['Name server', 'Address', 'Outcome', 'Serial'], rows: servers }], locale),
    ...(found.length === 0 ? [] : [{ kind: 'lines' as const, title: valueText(zone['domain']), lines: found }]),
  ];
}

const headerNames: Readonly<Record<string, string>> = { ...securityHeaders, cdn: 'CDN' };

function headerBlocks(facts: Facts, { texts, locale }: Context): Block[] {
  const named = [
    ['Grade', facts['grade']],
    ['URL', facts['url']],
    ['Final URL', facts['final_url']],
  ] as const;
  const summary = named.flatMap(([title, value]) =>
    value === undefined ? [] : [[titleIn(title, locale), valueText(value)]],
  );
  const security = isObject(facts['security']) ? Object.entries(facts['security']) : [];
  const hops = objectsIn(facts['hops']).map(({ status_code, url, ms }) => [
    ...[status_code, url].map(valueText),
    msCell(typeof ms === 'number' ? ms : null),
  ]);
  const cookies = objectsIn(facts['cookies']).map(({ name, secure, http_only, same_site }) => [
    valueText(name),
    ...[secure, http_only].map((value) => (value === true ? texts.yes : texts.no)),
    valueText(same_site),
  ]);
  const values = [...summary, ...security.map(([name, value]) => [headerNames[name] ?? name, valueText(value)])];
  return tables(
    [
      { titles: ['Field', 'Value'], rows: values },
      { titles: ['Status', 'URL', 'Time'], rows: hops },
      { titles: ['Cookie', 'Secure', 'HttpOnly', 'SameSite'], rows: cookies },
    ],
    locale,
  );
}

interface Titled {
  readonly titles: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Tables with the titles of a language; those without a row are left out. */
function tables(all: readonly Titled[], locale: Locale): Block[] {
  return all.flatMap(({ titles, rows }) =>
    rows.length === 0 ? [] : [{ kind: 'table' as const, head: titles.map((title) => titleIn(title, locale)), rows }],
  );
}

function titleIn(title: string, locale: Locale): string {
  return columnTitle(title, locale) ?? title;
}

function wordIn(cell: string, { yes, no }: Context['texts']): string {
  return cell === 'yes' ? yes : cell === 'no' ? no : cell;
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
