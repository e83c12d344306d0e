import { Link } from 'wouter-preact';
import { formatNumber, visible } from '../../texts/format.js';
import { Pill } from '../../ui/status.js';
import { networkName, placeName } from '../nodes/node.js';
import { columnsOf } from './columns.js';
import { Details } from './details.js';
import { type NodeResult, resultsOf, type Task } from './task.js';
import { probeTexts } from './texts.js';

/** Results whose details are open at once: more would hide each other. */
const OPEN = 3;

/** Results of the nodes of a task: a table of what matters most, and the details of each. */
export function Results({ task }: { readonly task: Task }) {
  const text = probeTexts();
  const results = resultsOf(task);
  const measured = results.filter(({ started_at }) => started_at !== null);
  return (
    <>
      <Summary task={task} results={results} />
      {task.probe_type === 'dns' && (
        <Answers results={resultsOf<'dns'>(task)} isPolluted={task['pollution_detected'] === true} />
      )}
      {task.unfit_nodes !== undefined && task.unfit_nodes.length > 0 && (
        <p class="muted">
          {text.unfit(task.unfit_nodes.length)}{' '}
          {task.unfit_nodes.map(({ node_id, lacks }) => text.lacks(node_id, lacks)).join(', ')}
        </p>
      )}
      {measured.map((result) => (
        <details key={result.node_id} class="raised" open={results.length <= OPEN}>
          <summary>
            {placeName(result.node)} · {networkName(result.node)}
          </summary>
          <Details type={task.probe_type} result={result} />
        </details>
      ))}
    </>
  );
}

function Summary({ task, results }: { readonly task: Task; readonly results: readonly NodeResult[] }) {
  const text = probeTexts();
  const columns = columnsOf(task.probe_type);
  return (
    <div class="wide">
      <table class="folding" aria-label={text.results}>
        <thead>
          <tr>
            <th>{text.outcome}</th>
            <th>{text.node}</th>
            {columns.map(({ title, isNumber }) => (
              <th key={title} class={isNumber && 'number'}>
                {text.titles[title]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {results.map((result) => (
            <tr key={result.node_id}>
              <td class="whole">
                <Pill look={result.success ? 'good' : 'bad'} word={result.success ? text.succeeded : text.failedNode} />
              </td>
              <td>
                <Link href={`/nodes/${result.node_id}`}>{placeName(result.node)}</Link>
                <div class="small muted">{networkName(result.node)}</div>
                <Notes result={result} />
              </td>
              {columns.map(({ title, isNumber, value }) => (
                <td key={title} class={isNumber && 'number'} data-title={text.titles[title]}>
                  {value(result)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Notes({ result }: { readonly result: NodeResult }) {
  const text = probeTexts();
  return (
    <>
      {result.error !== null && (
        <div class="bad">
          {visible(result.error.message)} <code>{result.error.code}</code>
        </div>
      )}
      {result.disturbed && <div class="small warn">{text.disturbed}</div>}
      {'trust' in result && <div class="small warn">{text.bannedSince}</div>}
    </>
  );
}

/** Answers of a DNS query, those that are the same together. */
function Answers({
  results,
  isPolluted,
}: {
  readonly results: readonly NodeResult<'dns'>[];
  readonly isPolluted: boolean;
}) {
  const text = probeTexts();
  const groups = new Map<string, { readonly lines: readonly string[]; nodes: number }>();
  for (const { rcode, records } of results) {
    if (rcode === null) continue;
    const lines = records.map(({ name, type, value }) => visible(`${name} ${type} ${value}`)).sort();
    const key = JSON.stringify([rcode, lines]);
    const group = groups.get(key) ?? {
      lines: lines.length === 0 ? [`${visible(rcode)}: ${text.noRecords}`] : lines,
      nodes: 0,
    };
    group.nodes += 1;
    groups.set(key, group);
  }
  if (groups.size === 0) return null;
  return (
    <div class="wide">
      {isPolluted && <p class="warn">{text.differences}</p>}
      <table aria-label={text.answers}>
        <thead>
          <tr>
            <th>{text.answers}</th>
            <th class="number">{text.nodes}</th>
          </tr>
        </thead>
        <tbody>
          {[...groups].map(([key, { lines, nodes }]) => (
            <tr key={key}>
              <td>
                {lines.map((line) => (
                  <div key={line}>
                    <code>{line}</code>
                  </div>
                ))}
              </td>
              <td class="number">{formatNumber(nodes)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
