import type { Severity } from '@vantage/shared/diagnose/finding-rule.js';
import { type SectionName, sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import type { ReportView, SectionView } from '../schema.js';
import type { Block, NameOf } from './block.js';
import { factBlocks } from './fact-blocks.js';
import type { ReportTexts } from './texts.js';

/** A finding as people read it. */
export interface DocumentFinding {
  readonly severity: Severity;
  readonly severityText: string;
  readonly text: string;
  readonly code: string;
  readonly penalty: number;
  readonly seenBy: string;
}

/** A section as people read it. */
export interface DocumentSection {
  readonly title: string;
  /** 0 to 100; null without one. */
  readonly score: number | null;
  /** State, and reason of a section that is not completed. */
  readonly state: string;
  readonly findings: readonly DocumentFinding[];
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
  readonly sections: readonly DocumentSection[];
}

/** The document of a report. Pure. */
export function reportDocument(report: ReportView, texts: ReportTexts): ReportDocument {
  const names = new Map(report.nodes.map((node) => [node.node_id, placeText(node)]));
  const nameOf: NameOf = (nodeId) => names.get(nodeId) ?? nodeId;
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
    sections: sectionNames.flatMap((name) => {
      const section = report.sections[name];
      return section === undefined ? [] : [sectionOf(name, section, { texts, nameOf, nodes: report.nodes.length })];
    }),
  };
}

interface Context {
  readonly texts: ReportTexts;
  readonly nameOf: NameOf;
  /** Nodes of the report. */
  readonly nodes: number;
}

function sectionOf(name: SectionName, section: SectionView, { texts, nameOf, nodes }: Context): DocumentSection {
  const { status, reason, score, findings, facts } = section;
  const state = reason === null ? texts.statuses[status] : `${texts.statuses[status]}: ${texts.reasons[reason]}`;
  return {
    title: texts.sections[name],
    score,
    state,
    findings: findings.map(({ severity, message, code, penalty, node_ids }) => ({
      severity,
      severityText: texts.severities[severity],
      text: message,
      code,
      penalty,
      seenBy: seenByText(node_ids, { texts, nameOf, nodes }),
    })),
    blocks: factBlocks(name, facts, { texts, nameOf }),
  };
}

/** Names of nodes; a dash if they are unknown. */
function seenByText(nodeIds: readonly string[], { texts, nameOf, nodes }: Context): string {
  if (nodeIds.length === 0) return '-';
  return nodeIds.length === nodes ? texts.everyNode : nodeIds.map(nameOf).join('; ');
}

function placeText({ node_id, node }: ReportView['nodes'][number]): string {
  const parts = [node.city, node.country, node.asn === null ? null : `AS${node.asn}`].filter((part) => part !== null);
  return parts.length === 0 ? node_id : parts.join(', ');
}

function instantText(instant: string): string {
  return `${instant.slice(0, 19).replace('T', ' ')} UTC`;
}
