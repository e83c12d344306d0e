import { severities } from '@vantage/shared/diagnose/finding-rule.js';
import { findingCodes, sectionNames } from '@vantage/shared/diagnose/finding-table.js';
import { type SectionReason, type SectionStatus, sectionReasons } from '@vantage/shared/diagnose/report.js';
import { idPattern, idPrefixes } from '@vantage/shared/ids.js';
import { nullable } from '@vantage/shared/nullable.js';
import { type Static, Type } from 'typebox';
import { IsTestSchema } from '../../http/is-test.js';
import { nodeSchemas } from '../nodes/index.js';
import { exampleReport } from './example.js';

const closed = { additionalProperties: false } as const;

export const ReportIdSchema = Type.String({ pattern: idPattern(idPrefixes.diagnoseReport), description: 'Report id.' });

const Name = Type.Enum([...sectionNames], { type: 'string' });
const Score = Type.Integer({ minimum: 0, maximum: 100 });

/** Body of POST /v1/diagnose (API specification 2.7). */
export const DiagnoseBodySchema = Type.Object(
  {
    target: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'A domain, an http(s) URL or an address. Without a scheme it is requested as `https://HOST/` and, if no node can connect or shake hands, as `http://HOST/`.',
    }),
    scope: Type.Optional(
      Type.Array(Name, {
        minItems: 1,
        uniqueItems: true,
        description: 'Sections of the report; default: all of them.',
      }),
    ),
    node_ids: Type.Optional(
      Type.Array(nodeSchemas.id, { minItems: 1, maxItems: 50, uniqueItems: true, description: 'Exactly these nodes.' }),
    ),
    nodes: Type.Optional(nodeSchemas.selection),
    shared: Type.Optional(
      Type.Boolean({
        description:
          'True if everyone with the link may read the page of the report; default: false. Reports that are created without credentials are always readable.',
      }),
    ),
  },
  { ...closed, title: 'DiagnoseRequest' },
);

const Finding = Type.Object(
  {
    code: Type.Enum([...findingCodes], { type: 'string', description: 'Stable code; branch on this.' }),
    severity: Type.Enum([...severities], { type: 'string', description: 'Worst first.' }),
    message: Type.String({ description: 'In the language of the caller, for display only.' }),
    remedy: nullable(
      Type.String(),
      'Sentence that says how to mend it, in the language of the caller; null: there is nothing to mend.',
    ),
    penalty: Type.Integer({
      minimum: 0,
      maximum: 100,
      description: 'Points that it takes from the score of its section.',
    }),
    node_ids: Type.Array(Type.String(), { description: 'Nodes that saw it; empty if the node is unknown.' }),
  },
  { ...closed, title: 'DiagnoseFinding' },
);

const statuses: Record<SectionStatus, true> = {
  pending: true,
  running: true,
  completed: true,
  failed: true,
  skipped: true,
};

const section = {
  status: Type.Enum(Object.keys(statuses) as SectionStatus[], {
    type: 'string',
    description: 'failed: only nodes failed, or nothing came in time; such a section does not count.',
  }),
  score: nullable(Score, '100 without the penalties of the findings; null until the section is completed.'),
  findings: Type.Array(Finding),
  facts: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'Measurements: `nodes[]` with the result of each node as in its probe task, `missing_node_ids`; for dns in addition `zone`; for security_headers the analysis of the headers.',
  }),
  task_id: nullable(Type.String(), 'First probe task of the section; null: it has none.'),
  task_ids: Type.Array(Type.String(), {
    description:
      'All probe tasks of the section: one for each dozen of nodes, and those of a second attempt by plain http.',
  }),
  reason: nullable(
    Type.Enum(Object.keys(sectionReasons) as SectionReason[], { type: 'string' }),
    `Reason why the section is skipped or failed. ${Object.entries(sectionReasons)
      .map(([reason, text]) => `${reason}: ${text}`)
      .join(' ')}`,
  ),
};

export const SectionSchema = Type.Object(section, { ...closed, title: 'DiagnoseSection' });

const Place = Type.Object(
  {
    asn: nullable(Type.Integer(), 'Autonomous system number.'),
    city: nullable(Type.String(), 'City.'),
    country: nullable(Type.String(), 'ISO 3166-1 alpha-2.'),
    isp: nullable(Type.String(), 'Name of the autonomous system.'),
    region: nullable(Type.String(), 'UN M49 subregion of the country.'),
  },
  { ...closed, title: 'ReportPlace' },
);

const listed = {
  id: ReportIdSchema,
  target: Type.String({ description: 'Target in canonical form.' }),
  status: Type.Enum(['running', 'completed', 'failed'], {
    type: 'string',
    description: 'completed: at least one section is. A partial report is completed, and shows what is missing.',
  }),
  overall_score: nullable(Score, 'Weighted mean of the completed sections; null until the report has ended.'),
  scope: Type.Array(Name, { description: 'Sections of the report.' }),
  is_test: IsTestSchema,
  created_at: Type.String({ format: 'date-time' }),
  completed_at: nullable(Type.String({ format: 'date-time' }), 'Null while it runs.'),
  shared: Type.Boolean({ description: 'True if everyone with the link may read its page.' }),
  url: Type.String({
    description: 'Page of the report; with `.json` or `.md` behind it the same as JSON or Markdown.',
  }),
};

/** A report as lists show it. */
export const ListedReportSchema = Type.Object(listed, { ...closed, title: 'ListedDiagnoseReport' });

/** A report (API specification 2.7). */
export const ReportSchema = Type.Object(
  {
    ...listed,
    sections: Type.Object(
      Object.fromEntries(sectionNames.map((name) => [name, Type.Optional(SectionSchema)])) as Record<
        (typeof sectionNames)[number],
        ReturnType<typeof Type.Optional<typeof SectionSchema>>
      >,
      { ...closed, description: 'The sections of the scope.' },
    ),
    nodes: Type.Array(Type.Object({ node_id: Type.String(), node: Place }, closed), {
      description: 'Nodes of the report, with their places.',
    }),
    truncated: Type.Boolean({ description: 'True if measurements were cut, so that the report fits into 512 KiB.' }),
  },
  { ...closed, title: 'DiagnoseReport', examples: [exampleReport] },
);

/** Data of the event `diagnose.section`. */
export const SectionEventSchema = Type.Object(
  { section: Name, ...section },
  { ...closed, title: 'DiagnoseSectionEvent' },
);

export type ReportView = Static<typeof ReportSchema>;
export type ListedView = Static<typeof ListedReportSchema>;
export type SectionView = Static<typeof SectionSchema>;
