import { Fragment } from 'preact';
import type { listOwnAudit } from '../../src/modules/audit/routes/read-audit.js';
import { type DataOf, get } from '../api/call.js';
import { visible } from '../texts/format.js';
import { common } from '../texts/words.js';
import { useAddressState } from './address.js';
import { auditTexts } from './audit-texts.js';
import { useAct } from './dialog.js';
import { Select } from './field.js';
import { useOlder } from './older.js';
import { FailureNote, Loaded } from './states.js';
import { Time } from './time.js';

type Entry = DataOf<ReturnType<typeof listOwnAudit>>['items'][number];

const noFilter = { action: '', from: '' };

/** An audit log, the newest entry first. `query`: which entries, besides the filters that the person sets. */
export function AuditLog(props: {
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly isAdmin: boolean;
}) {
  const text = auditTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const query = { ...props.query, ...filter, limit: 50 };
  const { newest, items, hasOlder, readOlder } = useOlder<Entry>(
    JSON.stringify([props.path, query]),
    async (cursor, signal) => {
      const answer = await get<ReturnType<typeof listOwnAudit>>(props.path, {
        query: { ...query, cursor },
        ...(signal && { signal }),
      });
      return { ...answer, items: answer.data.items };
    },
  );
  const { run, isBusy, failure } = useAct(readOlder);
  const isFiltered = filter.action + filter.from !== '';
  return (
    <>
      <div class="filters" role="search">
        <label class="choice">
          <span>{text.action}</span>
          <input
            type="search"
            list="audit-actions"
            placeholder="session.created"
            value={filter.action}
            onChange={(event) => setFilter({ action: event.currentTarget.value.trim() })}
          />
          <datalist id="audit-actions">
            {[...new Set(items.map(({ action }) => action))].toSorted().map((action) => (
              <option key={action} value={action} />
            ))}
          </datalist>
        </label>
        <Select
          label={text.since}
          value={filter.from}
          options={(['', '-24h', '-7d', '-30d'] as const).map((value) => ({ value, label: text.ranges[value] }))}
          onChange={(from: string) => setFilter({ from })}
        />
        {isFiltered && (
          <button type="button" class="quiet" onClick={() => setFilter(noFilter)}>
            {common().clearFilters}
          </button>
        )}
      </div>
      <Loaded query={newest}>
        {() =>
          items.length === 0 ? (
            <p>{isFiltered ? common().nothingMatches : text.noEntries}</p>
          ) : (
            <Table items={items} isAdmin={props.isAdmin} />
          )
        }
      </Loaded>
      {failure !== null && <FailureNote failure={failure} />}
      {hasOlder && (
        <p>
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run()}>
            {text.older}
          </button>
        </p>
      )}
    </>
  );
}

function Table({ items, isAdmin }: { readonly items: readonly Entry[]; readonly isAdmin: boolean }) {
  const text = auditTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.title}>
        <thead>
          <tr>
            <th>{common().time}</th>
            <th>{text.action}</th>
            <th>{text.actor}</th>
            {isAdmin && <th>{text.account}</th>}
            <th>{text.subject}</th>
          </tr>
        </thead>
        <tbody>
          {items.map((entry) => (
            <tr key={entry.id}>
              <td>
                <Time at={entry.at} />
              </td>
              <td>
                <code>{entry.action}</code>
                <Details entry={entry} />
              </td>
              <td data-title={text.actor}>
                {(isAdmin ? text.actorsOfAll : text.actorsOfOwn)[entry.actor.kind]}
                {isAdmin && entry.actor.kind === 'administrator' && entry.actor.user_id !== null && (
                  <span class="small muted"> {entry.actor.user_id}</span>
                )}
                {entry.actor.address !== null && <div class="small muted">{entry.actor.address}</div>}
              </td>
              {isAdmin && (
                <td data-title={text.account} class="small">
                  {entry.account_id ?? text.installation}
                </td>
              )}
              <td data-title={text.subject} class="small">
                {visible(entry.subject)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Details({ entry: { details, request_id: requestId, actor } }: { readonly entry: Entry }) {
  const more = {
    ...details,
    ...(actor.credential_id !== null && { credential: actor.credential_id }),
    ...(requestId !== null && { request: requestId }),
  };
  if (Object.keys(more).length === 0) return null;
  return (
    <details class="small">
      <summary>{auditTexts().details}</summary>
      <dl>
        {Object.entries(more).map(([name, value]) => (
          <Fragment key={name}>
            <dt>{visible(name)}</dt>
            <dd>{visible(typeof value === 'string' ? value : JSON.stringify(value))}</dd>
          </Fragment>
        ))}
      </dl>
    </details>
  );
}
