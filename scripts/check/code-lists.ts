import { packagesOfTests } from '@vantage/shared/_support/external-programs.js';
import { findingTable } from '@vantage/shared/diagnose/finding-table.js';
import { headerFindings } from '@vantage/shared/diagnose/findings/header-findings.js';
import { sectionWeights } from '@vantage/shared/diagnose/score.js';
import { cdnMarks } from '@vantage/shared/headers/cdn-marks.js';
import { headerCodes, headerRules } from '@vantage/shared/headers/header-grades.js';
import { monitorTypes } from '@vantage/shared/monitor-types/index.js';
import { probeErrorCodes } from '@vantage/shared/probe-types/error-codes.js';
import { probeTypes } from '@vantage/shared/probe-types/index.js';
import { sslFindings } from '@vantage/shared/probe-types/ssl-findings.js';
import { tokenPrefixes } from '@vantage/shared/tokens.js';
import { environmentVariables } from 'vantage-agent/config.js';
import { exitCodes as agentExitCodes } from 'vantage-agent/exit-codes.js';
import { clientExitCodes } from 'vantage-control/client/program.js';
import { settingsTable } from 'vantage-control/config/settings-reference.js';
import { errorTable } from 'vantage-control/http/error-table.js';
import { returnedCodes } from 'vantage-control/http/frame/declared-errors.js';
import { HttpMetrics } from 'vantage-control/http/frame/metrics.js';
import { scopes } from 'vantage-control/http/scopes.js';
import { variables } from 'vantage-control/modules/alerts/types/template/variables.js';
import { riskLevels, signalWeights } from 'vantage-control/modules/lookups/reputation/signals.js';
import { planNames, planNumbers } from 'vantage-control/plans/numbers.js';
import { exitCodes as controlExitCodes } from 'vantage-control/runtime/exit-codes.js';
import { Metrics } from 'vantage-control/runtime/metrics.js';
import { metricsOfModules, routes } from 'vantage-control/wiring/modules.js';
import { readLogMessages } from './log-lines.js';
import { readMetrics } from './metrics-list.js';
import { settingTable } from './setting-table.js';

/**
 * Required content of a marked block: these values in its first column in any order, or exactly this table, which
 * `npm run format` writes into the documents.
 */
export type ListContent = { readonly values: readonly string[] } | { readonly table: string };

/**
 * Every list that the code has once and documents repeat for people, inside `<!-- list:NAME -->` and `<!-- /list -->`, by
 * name. A new one needs an entry here and a marked block in a document.
 */
export function codeLists(root: string): ReadonlyMap<string, ListContent> {
  const lists: Readonly<Record<string, readonly string[] | string>> = {
    settings: settingsTable(),
    'agent-settings': table(['Variable', 'Meaning'], pairs(environmentVariables)),
    'exit-codes': exitCodeTable(),
    plans: table(
      ['Number', 'Meaning', ...planNames],
      Object.entries(planNumbers).map(([name, { about, values }]) => [
        code(name),
        about,
        ...values.map((value) => String(value ?? 'unlimited')),
      ]),
    ),
    'probe-types': table(
      ['Type', 'What it does', 'Example target', 'Needs'],
      Object.entries(probeTypes).map(([name, { summary, exampleTarget, capability }]) => [
        code(name),
        summary,
        code(exampleTarget),
        capability === null ? '' : code(capability),
      ]),
    ),
    'probe-error-codes': probeErrorCodes,
    'ssl-findings': table(
      ['Finding', 'Grade at most', 'Meaning'],
      Object.entries(sslFindings).map(([name, { cap, meaning }]) => [code(name), cap ?? '-', meaning]),
    ),
    'header-findings': table(
      ['Finding', 'Grade at most', 'Meaning'],
      headerCodes.map((name) => [code(name), headerRules[name].cap ?? '-', headerFindings[name].texts.en]),
    ),
    'cdn-marks': table(
      ['CDN', 'Mark', 'Source'],
      cdnMarks.map((mark) => [mark.cdn, markText(mark), mark.source]),
    ),
    'reputation-signals': table(['Signal', 'Weight'], pairs(signalWeights)),
    'risk-levels': table(['Level', 'From score'], pairs(riskLevels)),
    'diagnose-weights': table(['Section', 'Weight'], pairs(sectionWeights)),
    'diagnose-findings': table(
      ['Section', 'Finding', 'Severity', 'Penalty', 'Meaning'],
      Object.entries(findingTable).flatMap(([section, findings]) =>
        Object.entries(findings).map(([name, { severity, penalty, texts }]) => [
          section,
          code(name),
          severity,
          String(penalty),
          texts.en,
        ]),
      ),
    ),
    'monitor-settings': settingTable('`config`', schemasOf(monitorTypes, 'Config')),
    'probe-parameters': settingTable('`params`', schemasOf(probeTypes, 'Params')),
    'error-codes': table(
      ['Code', 'Status', 'Message'],
      returnedCodes(routes).map((name) => [
        code(name),
        errorTable[name].statuses.join(', '),
        errorTable[name].messages.en,
      ]),
    ),
    scopes,
    'token-prefixes': Object.values(tokenPrefixes),
    metrics: readMetrics([HttpMetrics, Metrics, ...metricsOfModules]),
    'template-variables': table(
      ['Variable', 'Meaning'],
      Object.entries(variables).map(([name, meaning]) => [code(`{{${name}}}`), meaning]),
    ),
    'test-packages': packagesOfTests(),
    'control-log-lines': readLogMessages(root, 'control-plane'),
    'agent-log-lines': readLogMessages(root, 'agent'),
  };
  return new Map(
    Object.entries(lists).map(([name, list]) => [name, typeof list === 'string' ? { table: list } : { values: list }]),
  );
}

function schemasOf<N extends string>(
  types: Readonly<Record<string, Readonly<Record<N, unknown>>>>,
  name: N,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(types).map(([type, definition]) => [type, definition[name]]));
}

/** One row for each code, one column for each program. */
function exitCodeTable(): string {
  const programs = [clientExitCodes, Object.values(agentExitCodes), controlExitCodes].map(
    (codes) => new Map<number, string>(codes.map((exit) => [exit.code, exit.meaning])),
  );
  const codes = [...new Set(programs.flatMap((meanings) => [...meanings.keys()]))].sort((a, b) => a - b);
  return table(
    ['Code', 'vantage', 'vantage-agent', 'vantage-control'],
    codes.map((exit) => [code(String(exit)), ...programs.map((meanings) => meanings.get(exit) ?? '')]),
  );
}

/** A mark of a CDN: its header and pattern, suffix of names, or network. */
function markText({ header, value, cname, asn }: (typeof cdnMarks)[number]): string {
  if (asn !== undefined) return `AS${asn}`;
  if (cname !== undefined) return `alias of ${code(`*.${cname}`)}`;
  const name = code(header ?? '');
  return value === undefined ? name : `${name} like ${code(value.source.replaceAll('|', '\\|'))}`;
}

/** Rows of names with one value each. */
function pairs(values: Readonly<Record<string, string | number>>): string[][] {
  return Object.entries(values).map(([name, value]) => [code(name), String(value)]);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function code(value: string): string {
  return `\`${value}\``;
}
