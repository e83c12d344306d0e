import { Link } from 'wouter-preact';
import type { WindowChange } from '../../../src/modules/monitors/maintenance/window-form.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, visible } from '../../texts/format.js';
import { useAddressState } from '../../ui/address.js';
import { Pages } from '../../ui/pages.js';
import { Empty, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { useMonitorNames } from '../monitors/names.js';
import { maintenanceTexts } from './texts.js';

/** A maintenance window as the API shows it. */
export type MaintenanceWindow = Required<WindowChange> & { readonly id: string };

const PAGE_SIZE = 50;

/** Maintenance windows of the account. */
export function WindowList() {
  const text = maintenanceTexts();
  const { nameOf } = useMonitorNames();
  const [{ page }, setState] = useAddressState({ page: '1' });
  const query = useQuery(`windows ${page}`, async (signal) => {
    const { data, pagination } = await get('/v1/maintenance-windows', {
      query: { page, page_size: PAGE_SIZE },
      signal,
    });
    return { items: (data as { readonly items: readonly MaintenanceWindow[] }).items, total: pagination?.total ?? 0 };
  });
  const create = (
    <Link class="button" href="/maintenance/new">
      {text.create}
    </Link>
  );
  const scopeOf = ({ scope_type: type, scope_ids: ids }: MaintenanceWindow) =>
    type === 'all'
      ? text.everyMonitor
      : `${text.scopes[type]} ${ids.map((id) => visible(type === 'monitor' ? nameOf(id) : id)).join(', ')}`;
  return (
    <section>
      <h1>{text.title}</h1>
      <Loaded query={query}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Empty>
              <p>{text.empty}</p>
              {create}
            </Empty>
          ) : (
            <>
              <p>{create}</p>
              <div class="wide">
                <table class="folding" aria-label={text.title}>
                  <thead>
                    <tr>
                      <th>{text.name}</th>
                      <th>{text.scope}</th>
                      <th>{text.starts}</th>
                      <th>{text.lasts}</th>
                      <th>{text.recurs}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {items.map((window) => (
                      <tr key={window.id}>
                        <td>
                          <Link href={`/maintenance/${window.id}`}>{visible(window.title ?? text.untitled)}</Link>
                        </td>
                        <td data-title={text.scope}>{scopeOf(window)}</td>
                        <td data-title={text.starts}>
                          <Time at={window.starts_at} />
                        </td>
                        <td data-title={text.lasts}>
                          {formatDuration((Date.parse(window.ends_at) - Date.parse(window.starts_at)) / 1_000)}
                        </td>
                        <td data-title={text.recurs}>
                          {text.recurrences[window.recurrence]}
                          {window.recurrence !== 'none' && <div class="small muted">{window.timezone}</div>}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
              <Pages
                page={Number(page)}
                size={PAGE_SIZE}
                total={total}
                onPage={(number) => setState({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
