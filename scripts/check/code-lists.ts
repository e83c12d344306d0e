import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readLogMessages } from './log-lines.js';
import { readMetrics } from './metrics-list.js';
import { readCiPackages } from './programs/ci-packages.js';
import { productPrograms } from './programs/product-programs.js';
import { testPackageRows } from './programs/test-packages.js';
import { settingTable } from './setting-table.js';

type Exports = Readonly<Record<string, unknown>>;

/** A list that the code has once and documents repeat for people, inside `<!-- list:NAME -->` and `<!-- /list -->`. */
export type CodeList = ExportedList | WrittenList;

interface ExportedList {
  readonly name: string;
  /** Compiled modules that have it, relative to the repository root. */
  readonly modules: readonly string[];
  /** Values, or the whole table in Markdown; `npm run format` writes the latter into the documents. */
  read(...modules: readonly Exports[]): ListContent;
}

/** One that stands all over the sources. */
interface WrittenList {
  readonly name: string;
  scan(root: string): ListContent;
}

/** Required content of a marked block: these values in its first column in any order, or exactly this table. */
export type ListContent = { readonly values: readonly string[] } | { readonly table: string };

/** Every list that documents repeat. A new one needs an entry here and a marked block in a document. */
export const codeLists: readonly CodeList[] = [
  {
    name: 'settings',
    modules: ['control-plane/dist/src/config/settings-reference.js'],
    read: ({ settingsTable } = {}) => ({ table: call(settingsTable) }),
  },
  {
    name: 'agent-settings',
    modules: ['agent/dist/src/config.js'],
    read: ({ environmentVariables } = {}) => ({
      table: table(
        ['Variable', 'Meaning'],
        entries(environmentVariables).map(([name, meaning]) => [code(name), text(meaning)]),
      ),
    }),
  },
  {
    name: 'exit-codes',
    modules: ['agent/dist/src/exit-codes.js', 'control-plane/dist/src/runtime/exit-codes.js'],
    read: (agent, control) => ({ table: exitCodeTable(members(agent?.exitCodes), members(control?.exitCodes)) }),
  },
  {
    name: 'plans',
    modules: ['control-plane/dist/src/plans/numbers.js'],
    read: ({ planNames, planNumbers } = {}) => ({
      table: table(
        ['Number', 'Meaning', ...members(planNames).map(text)],
        entries(planNumbers).map(([name, number]) => [
          code(name),
          text(get(number, 'about')),
          ...members(get(number, 'values')).map((value) => String(value ?? 'unlimited')),
        ]),
      ),
    }),
  },
  {
    name: 'probe-types',
    modules: ['shared/dist/src/probe-types/index.js'],
    read: ({ probeTypes } = {}) => ({
      table: table(
        ['Type', 'What it does', 'Example target', 'Needs'],
        entries(probeTypes).map(([name, type]) => [
          code(name),
          text(get(type, 'summary')),
          code(text(get(type, 'exampleTarget'))),
          get(type, 'capability') === null ? '' : code(text(get(type, 'capability'))),
        ]),
      ),
    }),
  },
  {
    name: 'probe-error-codes',
    modules: ['shared/dist/src/probe-types/error-codes.js'],
    read: ({ probeErrorCodes } = {}) => ({ values: members(probeErrorCodes).map(text) }),
  },
  {
    name: 'ssl-findings',
    modules: ['shared/dist/src/probe-types/ssl-findings.js'],
    read: ({ sslFindings } = {}) => ({
      table: table(
        ['Finding', 'Grade at most', 'Meaning'],
        entries(sslFindings).map(([name, finding]) => [
          code(name),
          text(get(finding, 'cap') ?? '-'),
          text(get(finding, 'meaning')),
        ]),
      ),
    }),
  },
  {
    name: 'header-findings',
    modules: ['shared/dist/src/headers/header-grades.js', 'shared/dist/src/diagnose/findings/header-findings.js'],
    read: ({ headerRules } = {}, { headerFindings } = {}) => ({
      table: table(
        ['Finding', 'Grade at most', 'Meaning'],
        entries(headerRules).map(([name, rule]) => [
          code(name),
          text(get(rule, 'cap') ?? '-'),
          text(get(get(get(headerFindings, name), 'texts'), 'en')),
        ]),
      ),
    }),
  },
  {
    name: 'cdn-marks',
    modules: ['shared/dist/src/headers/cdn-marks.js'],
    read: ({ cdnMarks } = {}) => ({
      table: table(
        ['CDN', 'Mark', 'Source'],
        members(cdnMarks).map((mark) => [text(get(mark, 'cdn')), markText(mark), text(get(mark, 'source'))]),
      ),
    }),
  },
  {
    name: 'reputation-signals',
    modules: ['control-plane/dist/src/modules/lookups/reputation/signals.js'],
    read: ({ signalWeights } = {}) => ({
      table: table(
        ['Signal', 'Weight'],
        entries(signalWeights).map(([name, weight]) => [code(name), String(weight)]),
      ),
    }),
  },
  {
    name: 'risk-levels',
    modules: ['control-plane/dist/src/modules/lookups/reputation/signals.js'],
    read: ({ riskLevels } = {}) => ({
      table: table(
        ['Level', 'From score'],
        entries(riskLevels).map(([name, from]) => [code(name), String(from)]),
      ),
    }),
  },
  {
    name: 'diagnose-weights',
    modules: ['shared/dist/src/diagnose/score.js'],
    read: ({ sectionWeights } = {}) => ({
      table: table(
        ['Section', 'Weight'],
        entries(sectionWeights).map(([name, weight]) => [code(name), String(weight)]),
      ),
    }),
  },
  {
    name: 'diagnose-findings',
    modules: ['shared/dist/src/diagnose/finding-table.js'],
    read: ({ findingTable } = {}) => ({
      table: table(
        ['Section', 'Finding', 'Severity', 'Penalty', 'Meaning'],
        entries(findingTable).flatMap(([section, findings]) =>
          entries(findings).map(([name, rule]) => [
            section,
            code(name),
            text(get(rule, 'severity')),
            String(get(rule, 'penalty')),
            text(get(get(rule, 'texts'), 'en')),
          ]),
        ),
      ),
    }),
  },
  {
    name: 'monitor-settings',
    modules: ['shared/dist/src/monitor-types/index.js'],
    read: ({ monitorTypes } = {}) => ({ table: settingTable('`config`', schemasOf(monitorTypes, 'Config')) }),
  },
  {
    name: 'probe-parameters',
    modules: ['shared/dist/src/probe-types/index.js'],
    read: ({ probeTypes } = {}) => ({ table: settingTable('`params`', schemasOf(probeTypes, 'Params')) }),
  },
  {
    name: 'error-codes',
    modules: ['control-plane/dist/src/http/error-table.js'],
    read: ({ errorTable } = {}) => ({ values: entries(errorTable).map(([name]) => name) }),
  },
  {
    name: 'scopes',
    modules: ['control-plane/dist/src/http/scopes.js'],
    read: ({ scopes } = {}) => ({ values: members(scopes).map(text) }),
  },
  {
    name: 'token-prefixes',
    modules: ['shared/dist/src/tokens.js'],
    read: ({ tokenPrefixes } = {}) => ({ values: members(tokenPrefixes).map(text) }),
  },
  {
    name: 'metrics',
    modules: ['http/frame/metrics', 'runtime/metrics', 'wiring/modules'].map(
      (name) => `control-plane/dist/src/${name}.js`,
    ),
    read: (...modules) => ({ values: readMetrics(...modules) }),
  },
  {
    name: 'template-variables',
    modules: ['control-plane/dist/src/modules/alerts/types/template/variables.js'],
    read: ({ variables } = {}) => ({
      table: table(
        ['Variable', 'Meaning'],
        entries(variables).map(([name, meaning]) => [code(`{{${name}}}`), text(meaning)]),
      ),
    }),
  },
  {
    name: 'product-programs',
    scan: () => ({
      table: table(
        ['Program', 'Debian package', 'What for', 'Without it'],
        productPrograms.map(({ program, debianPackage, use, without }) => [code(program), debianPackage, use, without]),
      ),
    }),
  },
  {
    name: 'test-packages',
    scan: (root) => ({
      table: table(
        ['Debian package', 'Programs', 'Skipped without it'],
        testPackageRows(readCiPackages(root)).map(([name = '', programs = '', use = '']) => [name, programs, use]),
      ),
    }),
  },
  { name: 'control-log-lines', scan: (root) => ({ values: readLogMessages(root, 'control-plane') }) },
  { name: 'agent-log-lines', scan: (root) => ({ values: readLogMessages(root, 'agent') }) },
];

/**
 * Reads the content of a list from the compiled code. @throws when a module does not exist or has an unexpected shape
 */
export async function readCodeList(root: string, list: CodeList): Promise<ListContent> {
  if ('scan' in list) return list.scan(root);
  const missing = list.modules.find((path) => !existsSync(join(root, path)));
  if (missing !== undefined) throw new Error(`no "${missing}"`);
  return list.read(...(await Promise.all(list.modules.map((path) => import(pathToFileURL(join(root, path)).href)))));
}

function schemasOf(types: unknown, name: string): Record<string, unknown> {
  return Object.fromEntries(entries(types).map(([type, definition]) => [type, get(definition, name)]));
}

/** One row for each code, one column for each program. */
function exitCodeTable(agent: readonly unknown[], control: readonly unknown[]): string {
  const meaning = (codes: readonly unknown[], wanted: unknown) => codes.find((entry) => get(entry, 'code') === wanted);
  const codes = [...new Set([...agent, ...control].map((entry) => Number(get(entry, 'code'))))].sort((a, b) => a - b);
  const rows = codes.map((wanted) => [
    code(String(wanted)),
    ...[agent, control].map((program) => text(get(meaning(program, wanted), 'meaning') ?? '')),
  ]);
  return table(['Code', 'vantage-agent', 'vantage-control'], rows);
}

/** A mark of a CDN: its header and pattern, suffix of names, or network. */
function markText(mark: unknown): string {
  const [header, value, cname, asn] = ['header', 'value', 'cname', 'asn'].map((name) => get(mark, name));
  if (asn !== undefined) return `AS${Number(asn)}`;
  if (cname !== undefined) return `alias of ${code(`*.${text(cname)}`)}`;
  return value instanceof RegExp
    ? `${code(text(header))} like ${code(value.source.replaceAll('|', '\\|'))}`
    : code(text(header));
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function code(value: string): string {
  return `\`${value}\``;
}

function text(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError(`not a string: ${JSON.stringify(value)}`);
  return value;
}

function get(value: unknown, name: string): unknown {
  return Reflect.get(Object(value), name);
}

function entries(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return Object.entries(value);
}

function members(value: unknown): unknown[] {
  return entries(value).map(([, member]) => member);
}

function call(value: unknown): string {
  if (typeof value !== 'function') throw new TypeError('not a function');
  return text(value());
}
