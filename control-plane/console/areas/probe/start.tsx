import { Link, useLocation } from 'wouter-preact';
import type { listTasks } from '../../../src/modules/probes/routes/tasks.js';
import type { ProbeCreatedSchema } from '../../../src/modules/probes/schema.js';
import { act, get, searchOf } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { visible } from '../../texts/format.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { ProbeForm } from './form.js';
import { probeTitles } from './params.js';
import { bodyOfRequest, noRequest, type ProbeRequest, typeOf } from './request.js';
import type { Task } from './task.js';
import { probeTexts } from './texts.js';

/** A new probe, and those that the person ran last. */
export function StartProbe() {
  const text = probeTexts();
  const [request, change] = useAddressState(noRequest);
  const { failure, isBusy, run } = useRun();
  return (
    <section>
      <h1>{text.title}</h1>
      <p class="muted">{text.why}</p>
      <ProbeForm {...{ request, failure, isBusy, change }} run={() => void run(request)} />
      {person.value && <Recent />}
    </section>
  );
}

/** Runs a request and opens its results, in whose address the request is. */
export function useRun() {
  const [, navigate] = useLocation();
  return useAct(async (request: ProbeRequest) => {
    const path = `/v1/probe/${typeOf(request)}`;
    const { data } = await act<CreateProbe>('POST', path, { body: bodyOfRequest(request) });
    const kept = Object.entries(request).filter(([name, value]) => value !== noRequest[name as keyof ProbeRequest]);
    navigate(`/probe/${data.task_id}${searchOf(Object.fromEntries(kept))}`);
  });
}

/** The operations of all types answer alike. */
type CreateProbe = { readonly replies: { readonly 202: typeof ProbeCreatedSchema } };

const RECENT = 10;

function Recent() {
  const text = probeTexts();
  const query = useQuery('recent', async (signal) => {
    return (await get<typeof listTasks>('/v1/probe/tasks', { query: { page_size: RECENT }, signal })).data.items;
  });
  return (
    <section>
      <h2>{text.recent}</h2>
      <Loaded query={query}>
        {(tasks) => (tasks.length === 0 ? <p>{text.noRecent}</p> : <TaskTable tasks={tasks} />)}
      </Loaded>
    </section>
  );
}

function TaskTable({ tasks }: { readonly tasks: readonly Task[] }) {
  const text = probeTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.recent}>
        <thead>
          <tr>
            <th>{text.type}</th>
            <th>{text.target}</th>
            <th>{text.state}</th>
            <th>{text.outcome}</th>
            <th>{text.started}</th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.task_id}>
              <td>{probeTitles[task.probe_type]}</td>
              <td>
                <Link href={`/probe/${task.task_id}`}>{visible(task.target)}</Link>
              </td>
              <td class="whole">
                <TaskState task={task} />
              </td>
              <td>{text.ofNodes(task.summary.success_count, task.summary.fail_count)}</td>
              <td class="whole">
                <Time at={task.created_at} isShort />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** State of a task, and how it ended. */
export function TaskState({ task: { status, summary } }: { readonly task: Task }) {
  const text = probeTexts();
  if (status === 'running') return <Pill look="none" word={text.states.running} />;
  if (status === 'failed') return <Pill look="bad" word={text.states.failed} />;
  const look = summary.fail_count === 0 ? 'good' : summary.success_count === 0 ? 'bad' : 'warn';
  return <Pill look={look} word={text.states.completed} />;
}
