import { type Severity, severityTexts } from '@vantage/shared/diagnose/finding-rule.js';
import { type SectionName, sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import { urgentFindings } from '@vantage/shared/diagnose/urgent-findings.js';
import { placeTexts } from '@vantage/shared/places/place-texts.js';
import type { Locale } from '../../../http/locale.js';
import type { ShownResults } from '../../pages/index.js';
import type { ReportView, SectionView } from '../schema.js';
import type { Block, NameOf } from './block.js';
import { missingNodes, nodeBlocks, nodeResults, sectionBlocks } from './fact-blocks.js';
import { type ReportTexts, reportTexts } from './texts.js';

/** A finding as people read it. */
export interface DocumentFinding {
  readonly severity: Severity;
  readonly severityText: string;
  readonly text: string;
  /** Sentence that says how to mend it; null: there is nothing to mend. */
  readonly remedy: string | null;
  readonly code: string;
  readonly penalty: number;
  readonly seenBy: string;
}

/** A section as people read it. */
export interface DocumentSection {
  readonly name: SectionName;
  readonly title: string;
  /** 0 to 100; null without one. */
  readonly score: number | null;
  /** State, and reason of a section that is not completed. */
  readonly state: string;
  readonly findings: readonly DocumentFinding[];
  /** Sentence about the nodes without a result; null: all have one. */
  readonly missing: string | null;
  /** Results of nodes for a page; null: there are none. */
  readonly results: ShownResults | null;
  /** Results of nodes as texts. */
  readonly nodeBlocks: readonly Block[];
  readonly blocks: readonly Block[];
}

/**
 * A report as people read it, in plain texts: what renders it escapes all of them, because servers choose most.
 */
export interface ReportDocument {
  readonly title: string;
  readonly score: number | null;
  readonly facts: readonly (readonly [label: string, value: string])[];
  readonly notes: readonly string[];
  /** Findings that matter most, each with the title of its section. */
  readonly urgent: readonly (DocumentFinding & { readonly section: string })[];
  readonly sections: readonly DocumentSection[];
}

/** The document of a report. Pure. */
export function reportDocument(report: ReportView, locale: Locale): ReportDocument {
  const texts = reportTexts[locale];
  const nodes = report.nodes.map(({ node_id: id, node: place }) => ({ id, name: null, place, isPending: false }));
  const names = placeTexts(nodes);
  const nameOf: NameOf = (nodeId) => names.get(nodeId) ?? nodeId;
  const context = { texts, nameOf, nodes, locale };
  const notes = [
    ...(report.status === 'running' ? [texts.running] : []),
    ...(report.status === 'failed' ? [texts.failed] : []),
    ...(report.truncated ? [texts.truncated] : []),
  ];
  return {
    title: texts.title(report.target),
    score: report.overall_score,
    facts: [
      [texts.created, instantText(report.created_at)],
      ...(report.completed_at === null ? [] : ([[texts.ended, instantText(report.completed_at)]] as const)),
      [texts.from, report.nodes.map(({ node_id }) => nameOf(node_id)).join('; ')],
    ],
    notes,
    urgent: urgentFindings(report.sections).map(({ section, finding }) => ({
      ...findingOf(finding, context),
      section: texts.sections[section],
    })),
    sections: sectionNames.flatMap((name) => {
      const section = report.sections[name];
      return section === undefined ? [] : [sectionOf(name, section, context)];
    }),
  };
}

interface Context {
  readonly texts: ReportTexts;
  readonly nameOf: NameOf;
  /** Nodes of the report. */
  readonly nodes: ShownResults['nodes'];
  readonly locale: Locale;
}

function sectionOf(name: SectionName, section: SectionView, context: Context): DocumentSection {
  const { texts, nameOf, nodes } = context;
  const { status, reason, score, findings, facts } = section;
  const results = nodeResults(facts);
  const missing = missingNodes(facts);
  const shown: ShownResults | null =
    name === 'security_headers' || results.length === 0
      ? null
      : {
          task: { probe_type: name, status: 'completed', node_results: results },
          nodes,
          unfit: [],
          heading: 'h3',
        };
  return {
    name,
    title: texts.sections[name],
    score,
    state: reason === null ? texts.statuses[status] : `${texts.statuses[status]}: ${texts.reasons[reason]}`,
    findings: findings.map((finding) => findingOf(finding, context)),
    missing: missing.length === 0 ? null : `${texts.missing}: ${missing.map(nameOf).join('; ')}`,
    results: shown,
    nodeBlocks: name === 'security_headers' ? [] : nodeBlocks(name, facts, context),
    blocks: sectionBlocks(name, facts, context),
  };
}

function findingOf(finding: SectionView['findings'][number], context: Context): DocumentFinding {
  const { severity, message, remedy, code, penalty, node_ids } = finding;
  const seenBy = seenByText(node_ids, context);
  return {
    severity,
    severityText: severityTexts[severity][context.locale],
    text: message,
    remedy,
    code,
    penalty,
    seenBy,
  };
}

/** Names of nodes; a dash if they are unknown. */
function seenByText(nodeIds: readonly string[], { texts, nameOf, nodes }: Context): string {
  if (nodeIds.length === 0) return '-';
  return nodeIds.length === nodes.length ? texts.everyNode : nodeIds.map(nameOf).join('; ');
}

function instantText(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`;
}
