import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { changeTask, getTask } from '../../../src/modules/probes/routes/tasks.js';
import { act, get, searchOf } from '../../api/call.js';
import { type Query, useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { visible } from '../../texts/format.js';
import { useAddressState } from '../../ui/address.js';
import { Copy } from '../../ui/copy.js';
import { useAct } from '../../ui/dialog.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { ProbeForm } from './form.js';
import { probeTitles } from './params.js';
import { clientLine, curlLine, monitorTypeOf, noRequest, type ProbeRequest } from './request.js';
import { Results } from './results.js';
import { TaskState, useRun } from './start.js';
import type { Task } from './task.js';
import { probeTexts } from './texts.js';

/** Time between two readings of a task that runs, and of one that is finished, in milliseconds. */
const RUNNING_MS = 1_500;
const FINISHED_MS = 3_600_000;

/** A probe: its results as they arrive, and what one can do with them. */
export function TaskPage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const [isRunning, setIsRunning] = useState(true);
  const query = useQuery(
    id,
    async (signal) => {
      // readings that wait count apart from those of the plan
      const { data } = await get<typeof getTask>(`/v1/probe/tasks/${id}`, { query: { wait: 1 }, signal });
      setIsRunning(data.status === 'running');
      return data;
    },
    isRunning ? RUNNING_MS : FINISHED_MS,
  );
  return <Loaded query={query}>{(task) => <Shown task={task} query={query} />}</Loaded>;
}

function Shown({ task, query }: { readonly task: Task; readonly query: Query<Task> }) {
  const text = probeTexts();
  const [request, change] = useAddressState({ ...noRequest, type: task.probe_type as string, target: task.target });
  const { failure, isBusy, run } = useRun();
  const { success_count: good, fail_count: bad } = task.summary;
  return (
    <article>
      <p class="small">
        <Link href="/probe">{text.newProbe}</Link>
      </p>
      <div class="row ends">
        <h1>
          {probeTitles[task.probe_type]} {visible(task.target)}
        </h1>
        <div class="row">
          <button type="button" disabled={isBusy} onClick={() => void run(request)}>
            {text.again}
          </button>
          <MonitorLink task={task} />
        </div>
      </div>
      <p class="row" role="status">
        <TaskState task={task} />
        {task.status === 'running' ? text.waiting : text.ofNodes(good, bad)}
      </p>
      <p class="small muted">
        {text.started} <Time at={task.created_at} />
      </p>
      {failure !== null && <FailureNote failure={failure} />}
      {task.node_results.length > 0 && <Results task={task} />}
      <Sharing task={task} show={query.show} />
      <details>
        <summary>{text.change}</summary>
        <ProbeForm {...{ request, isBusy, change }} failure={null} run={() => void run(request)} />
      </details>
      <Commands request={request} />
    </article>
  );
}

function MonitorLink({ task: { probe_type: type, target } }: { readonly task: Task }) {
  const kind = monitorTypeOf(type, target);
  if (kind === null || !person.value) return null;
  return (
    <Link class="button quiet" href={`/monitors/new${searchOf({ type: kind, target })}`}>
      {probeTexts().monitorThis}
    </Link>
  );
}

/** Readers of a task. One without an account has no owner: everyone may, for good. */
function Sharing({ task, show }: { readonly task: Task; show(task: Task): void }) {
  const text = probeTexts();
  const { failure, isBusy, run } = useAct(async (body: { shared?: boolean; shared_body?: boolean }) => {
    show((await act<typeof changeTask>('PATCH', `/v1/probe/tasks/${task.task_id}`, { body })).data);
  });
  return (
    <section>
      <h2>{text.share}</h2>
      {task.page === null ? (
        <>
          <p>{text.shareWhy}</p>
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run({ shared: true })}>
            {text.share}
          </button>
        </>
      ) : (
        <>
          <p>{text.open}</p>
          <Copy text={task.page} />
          {person.value && (
            <div class="row">
              {task.probe_type === 'http' && (
                <label class="check">
                  <input
                    type="checkbox"
                    checked={task.shared_body}
                    disabled={isBusy}
                    onChange={(event) => void run({ shared_body: event.currentTarget.checked })}
                  />
                  {text.shareBody}
                </label>
              )}
              <button type="button" class="quiet" disabled={isBusy} onClick={() => void run({ shared: false })}>
                {text.unshare}
              </button>
            </div>
          )}
        </>
      )}
      {failure !== null && <FailureNote failure={failure} />}
    </section>
  );
}

function Commands({ request }: { readonly request: ProbeRequest }) {
  const text = probeTexts();
  return (
    <details>
      <summary>{text.commands}</summary>
      <p class="small muted">{text.commandsWhy}</p>
      <Copy text={curlLine(request)} />
      <Copy text={clientLine(request)} />
    </details>
  );
}
