import type { deleteJob, retryJob } from '../../../src/modules/jobs/routes/change-job.js';
import type { listJobs } from '../../../src/modules/jobs/routes/list-jobs.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Acts, said } from './acts.js';
import { Part } from './part.js';
import { adminTexts } from './texts.js';

type Job = DataOf<typeof listJobs>['items'][number];

const PAGE_SIZE = 50;
const noFilter = { state: '', type: '', page: '1' };
const looks: Readonly<Record<Job['state'], Look>> = { ready: 'none', running: 'good', waiting: 'warn', dead: 'bad' };

/** Background work that waits, runs or has failed. */
export function JobsView() {
  const text = adminTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const query = useQuery(`jobs ${JSON.stringify(filter)}`, (signal) =>
    get<typeof listJobs>('/v1/admin/jobs', { query: { ...filter, page_size: PAGE_SIZE }, signal }),
  );
  return (
    <Part name="jobs">
      <div class="filters" role="search">
        <Select
          label={text.state}
          value={filter.state}
          options={[
            { value: '', label: common().all },
            ...(['ready', 'running', 'waiting', 'dead'] as const).map((value) => ({
              value,
              label: text.jobStates[value],
            })),
          ]}
          onChange={(state) => setFilter({ state, page: '1' })}
        />
        <label class="choice">
          <span>{text.jobType}</span>
          <input
            type="search"
            placeholder="mail.send"
            value={filter.type}
            onInput={(event) => setFilter({ type: event.currentTarget.value.trim(), page: '1' })}
          />
        </label>
      </div>
      <Loaded query={query}>
        {({ data: { items }, pagination }) =>
          items.length === 0 ? (
            <Empty>
              <p>{filter.state + filter.type === '' ? text.noJobs : common().nothingMatches}</p>
              {filter.state + filter.type !== '' && (
                <button type="button" class="quiet" onClick={() => setFilter(noFilter)}>
                  {common().clearFilters}
                </button>
              )}
            </Empty>
          ) : (
            <div class="wide">
              <table class="folding" aria-label={text.parts.jobs}>
                <thead>
                  <tr>
                    <th>{text.state}</th>
                    <th>{text.jobType}</th>
                    <th class="number">{text.attempts}</th>
                    <th>{text.lastError}</th>
                    <th>{text.nextRun}</th>
                    <th>{text.created}</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {items.map((job) => (
                    <Row key={job.id} job={job} reload={query.reload} />
                  ))}
                </tbody>
              </table>
              <Pages
                page={Number(filter.page)}
                size={PAGE_SIZE}
                total={pagination?.total ?? 0}
                onPage={(page) => setFilter({ page: String(page) })}
              />
            </div>
          )
        }
      </Loaded>
    </Part>
  );
}

function Row({ job, reload }: { readonly job: Job; reload(): void }) {
  const text = adminTexts();
  const retry = useAct(async () => {
    await act<typeof retryJob>('POST', `/v1/admin/jobs/${job.id}/retry`);
    reload();
  });
  return (
    <tr>
      <td class="whole">
        <Pill look={looks[job.state]} word={text.jobStates[job.state]} />
      </td>
      <td>
        <code>{visible(job.type)}</code>
        <div class="small muted">{job.id}</div>
        {retry.failure !== null && <FailureNote failure={retry.failure} />}
      </td>
      <td class="number" data-title={text.attempts}>
        {job.attempts} / {job.max_attempts}
      </td>
      <td>{job.last_error !== null && visible(job.last_error)}</td>
      <td data-title={text.nextRun}>{job.state === 'dead' ? '–' : <Time at={job.run_at} isShort />}</td>
      <td data-title={text.created}>
        <Time at={job.created_at} isShort />
      </td>
      <td class="acts">
        {(job.state === 'dead' || job.state === 'waiting') && (
          <button type="button" class="quiet" disabled={retry.isBusy} onClick={() => void retry.run()}>
            {text.runAgain}
          </button>
        )}
        {job.state === 'dead' && (
          <Acts
            acts={[
              {
                ...said(text.deleteJob, visible(job.type)),
                perform: async () => {
                  await act<typeof deleteJob>('DELETE', `/v1/admin/jobs/${job.id}`);
                  reload();
                },
              },
            ]}
          />
        )}
      </td>
    </tr>
  );
}
