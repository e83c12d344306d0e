import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { createReport } from '../../../src/modules/diagnose/routes/create-report.js';
import type { listReports } from '../../../src/modules/diagnose/routes/read-reports.js';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Pages } from '../../ui/pages.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { Score } from './report.js';
import { diagnoseTexts } from './texts.js';

/** A new report, and the earlier ones. */
export function Reports() {
  const text = diagnoseTexts();
  const [, navigate] = useLocation();
  const [{ page, target: asked }, setState] = useAddressState({ page: '1', target: '' });
  const [target, setTarget] = useState(asked);
  const query = useQuery(`reports ${page}`, (signal) =>
    get<typeof listReports>('/v1/diagnose', { query: { page, page_size: 50 }, signal }),
  );
  const { isBusy, failure, run } = useAct(async () => {
    const { data } = await act<typeof createReport>('POST', '/v1/diagnose', { body: { target: target.trim() } });
    navigate(`/diagnose/${data.id}`);
  });
  return (
    <section>
      <h1>{text.title}</h1>
      <form
        class="filters"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <label class="choice">
          <span>{text.target}</span>
          <input
            required
            maxLength={2_048}
            spellcheck={false}
            value={target}
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
        </label>
        <button type="submit" disabled={isBusy}>
          {text.start}
        </button>
      </form>
      {failure !== null && <FailureNote failure={failure} />}
      <Loaded query={query}>
        {({ data: { items }, pagination }) =>
          items.length === 0 ? (
            <Empty>
              <p>{text.empty}</p>
            </Empty>
          ) : (
            <>
              <div class="wide">
                <table class="folding" aria-label={text.reports}>
                  <thead>
                    <tr>
                      <th>{text.score}</th>
                      <th>{text.target}</th>
                      <th>{text.created}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((report) => (
                      <tr key={report.id}>
                        <td class="whole">
                          <Score report={report} />
                        </td>
                        <td>
                          <Link href={`/diagnose/${report.id}`}>{visible(report.target)}</Link>
                        </td>
                        <td>
                          <Time at={report.created_at} />
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pages
                page={Number(page)}
                size={50}
                total={pagination?.total ?? 0}
                onPage={(number) => setState({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
