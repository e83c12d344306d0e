import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { changeReport, deleteReport } from '../../../src/modules/diagnose/routes/change-report.js';
import type { getReport } from '../../../src/modules/diagnose/routes/read-reports.js';
import type { ReportView, SectionView } from '../../../src/modules/diagnose/schema.js';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Facts } from '../lookups/facts.js';
import { monitorTexts } from '../monitors/texts.js';
import { diagnoseTexts } from './texts.js';

type Finding = SectionView['findings'][number];

const looks: Readonly<Record<Finding['severity'], Look>> = {
  critical: 'bad',
  warning: 'warn',
  notice: 'none',
  good: 'good',
};

/** Time between two readings of a report that still runs, in milliseconds. */
const RUNNING_MS = 2_000;

/** State of a report, or its score when it has one. */
export function Score({ report }: { readonly report: Pick<ReportView, 'status' | 'overall_score'> }) {
  const { status, overall_score: score } = report;
  if (score === null)
    return <Pill look={status === 'failed' ? 'bad' : 'none'} word={diagnoseTexts().statuses[status]} />;
  return <Pill look={score >= 90 ? 'good' : score >= 60 ? 'warn' : 'bad'} word={`${score} / 100`} />;
}

/** A report, which fills in while its nodes measure: the verdict, what to mend, then each section. */
export function ReportPage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const text = diagnoseTexts();
  const [isRunning, setIsRunning] = useState(true);
  const query = useQuery(
    id,
    async (signal) => {
      const { data } = await get<typeof getReport>(`/v1/diagnose/${id}`, { signal });
      setIsRunning(data.status === 'running');
      return data;
    },
    isRunning ? RUNNING_MS : undefined,
  );
  return (
    <Loaded query={query}>
      {(report) => {
        const findings = Object.values(report.sections).flatMap((section) => section?.findings ?? []);
        const worst = findings
          .filter(({ remedy, penalty }) => remedy !== null && penalty > 0)
          .sort((a, b) => b.penalty - a.penalty)
          .slice(0, 3);
        return (
          <article>
            <p class="small">
              <Link href="/diagnose">{text.reports}</Link>
            </p>
            <h1>{text.heading(visible(report.target))}</h1>
            <div class="row" role="status">
              <Score report={report} />
              {report.status === 'running' && <span>{text.running}</span>}
              {report.status === 'completed' && worst.length === 0 && <span>{text.nothingToMend}</span>}
            </div>
            <Acts report={report} reload={query.reload} />
            {worst.length > 0 && (
              <section class="raised">
                <h2>{text.mendFirst}</h2>
                <Findings findings={worst} />
              </section>
            )}
            {Object.entries(report.sections).map(([name, section]) => (
              <Section key={name} name={name as keyof ReportView['sections']} section={section} />
            ))}
            {report.truncated && <p class="muted">{text.truncated}</p>}
          </article>
        );
      }}
    </Loaded>
  );
}

function Section(props: { readonly name: keyof ReportView['sections']; readonly section: SectionView | undefined }) {
  const { name, section } = props;
  const text = diagnoseTexts();
  if (section === undefined) return null;
  const { status, score, findings, facts, reason } = section;
  return (
    <section>
      <h2>{text.sections[name]}</h2>
      <p class="row">
        <Pill
          look={status === 'failed' ? 'bad' : status === 'completed' ? 'good' : 'none'}
          word={text.statuses[status]}
        />
        {score !== null && <strong>{score} / 100</strong>}
        {reason !== null && <span>{text.reasons[reason]}</span>}
      </p>
      <Findings findings={findings} />
      {Object.keys(facts).length > 0 && (
        <details>
          <summary>{text.measurements}</summary>
          <Facts value={facts} />
        </details>
      )}
    </section>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  const text = diagnoseTexts();
  return (
    <ul class="findings">
      {findings.map(({ code, severity, message, remedy, node_ids: ids }) => (
        <li key={code}>
          <Pill look={looks[severity]} word={text.severities[severity]} /> {visible(message)}
          {remedy !== null && <div>{visible(remedy)}</div>}
          <div class="small muted">
            {code} {ids.length > 0 && `· ${ids.join(', ')}`}
          </div>
        </li>
      ))}
    </ul>
  );
}

function Acts({ report, reload }: { readonly report: ReportView; reload(): void }) {
  const text = diagnoseTexts();
  const words = monitorTexts();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const { isBusy, failure, run } = useAct(async () => {
    await act<typeof changeReport>('PATCH', `/v1/diagnose/${report.id}`, { body: { shared: !report.shared } });
    reload();
  });
  return (
    <>
      <div class="row">
        <Link class="button quiet" href={`/diagnose?target=${encodeURIComponent(report.target)}`}>
          {text.again}
        </Link>
        <button type="button" class="quiet" disabled={isBusy} onClick={() => void run()}>
          {report.shared ? text.unshare : text.share}
        </button>
        <button type="button" class="quiet" onClick={() => setIsDeleting(true)}>
          {words.delete}
        </button>
        {report.shared && <a href={report.url}>{text.sharedPage}</a>}
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      {isDeleting && (
        <Confirm
          title={words.deleteTitle(visible(report.target))}
          act={words.delete}
          onAct={async () => {
            await act<typeof deleteReport>('DELETE', `/v1/diagnose/${report.id}`);
            navigate('/diagnose');
          }}
          onClose={() => setIsDeleting(false)}
        >
          <p>{text.deleteWhy}</p>
        </Confirm>
      )}
    </>
  );
}
