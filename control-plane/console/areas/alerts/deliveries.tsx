import type { listAlertDeliveries, retryAlertDelivery } from '../../../src/modules/alerts/routes/deliveries.js';
import { act, type DataOf, get } from '../../api/call.js';
import { formatMs, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Select } from '../../ui/field.js';
import { useOlder } from '../../ui/older.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { monitorTexts } from '../monitors/texts.js';
import { Head } from './head.js';
import { alertTexts } from './texts.js';

export type Delivery = DataOf<typeof listAlertDeliveries>['items'][number];

const looks: Readonly<Record<Delivery['status'], Look>> = {
  pending: 'none',
  sending: 'none',
  retrying: 'warn',
  sent: 'good',
  dead: 'bad',
  dropped: 'none',
};

/** Messages to the channels of the account, newest first. */
export function DeliveryLog() {
  const text = alertTexts();
  const [{ status, channel }, setFilter] = useAddressState({ status: '', channel: '' });
  const query = { status, channel_id: channel };
  const { newest, items, hasOlder, readOlder } = useOlder<Delivery>(
    `deliveries ${JSON.stringify(query)}`,
    async (cursor, signal) => {
      const answer = await get<typeof listAlertDeliveries>('/v1/alert-deliveries', {
        query: { ...query, cursor, limit: 50 },
        ...(signal && { signal }),
      });
      return { ...answer, items: answer.data.items };
    },
  );
  const { run, isBusy, failure } = useAct(readOlder);
  const clear = () => setFilter({ status: '', channel: '' });
  return (
    <section>
      <Head part="deliveries" />
      <div class="filters" role="search">
        <Select
          label={text.status}
          value={status}
          options={[
            { value: '', label: common().all },
            ...Object.entries(text.deliveryStatuses).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(value) => setFilter({ status: value })}
        />
        {channel !== '' && (
          <button type="button" class="quiet" onClick={() => setFilter({ channel: '' })}>
            {text.channel}: {channel} ✕
          </button>
        )}
      </div>
      <Loaded query={newest}>
        {() =>
          items.length === 0 ? (
            <Empty>
              <p>{status + channel === '' ? text.noDeliveries : common().nothingMatches}</p>
              {status + channel !== '' && (
                <button type="button" class="quiet" onClick={clear}>
                  {common().clearFilters}
                </button>
              )}
            </Empty>
          ) : (
            <>
              <DeliveryTable deliveries={items} reload={newest.reload} />
              {failure !== null && <FailureNote failure={failure} />}
              {hasOlder && (
                <button type="button" class="quiet" disabled={isBusy} onClick={() => void run()}>
                  {monitorTexts().older}
                </button>
              )}
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** Messages with their attempts. */
export function DeliveryTable(props: { readonly deliveries: readonly Delivery[]; reload(): void }) {
  const text = alertTexts();
  const { run, isBusy, failure } = useAct(async (id: string) => {
    await act<typeof retryAlertDelivery>('POST', `/v1/alert-deliveries/${id}/retry`);
    props.reload();
  });
  return (
    <div class="wide">
      {failure !== null && <FailureNote failure={failure} />}
      <table class="folding" aria-label={text.parts.deliveries}>
        <thead>
          <tr>
            <th>{text.status}</th>
            <th>{common().time}</th>
            <th>{text.channel}</th>
            <th>{text.message}</th>
          </tr>
        </thead>
        <tbody>
          {props.deliveries.map((delivery) => (
            <tr key={delivery.id}>
              <td class="whole">
                <Pill look={looks[delivery.status]} word={text.deliveryStatuses[delivery.status]} />
              </td>
              <td>
                <Time at={delivery.created_at} />
              </td>
              <td data-title={text.channel}>
                {visible(delivery.channel_name)}
                {delivery.to.map((to) => (
                  <div key={to} class="small muted">
                    {visible(to)}
                  </div>
                ))}
              </td>
              <td>
                <details>
                  <summary>{visible(delivery.title)}</summary>
                  <pre class="wrapped">{visibleLines(delivery.text)}</pre>
                </details>
                {delivery.attempts.map(({ at, duration_ms: ms, status_code: code, error }) => (
                  <div key={at} class="small muted">
                    <Time at={at} isShort /> · {formatMs(ms)} {code !== null && `· ${code}`}{' '}
                    {error !== null && visible(error)}
                  </div>
                ))}
                {delivery.reason !== null && <div class="small">{text.endReasons[delivery.reason]}</div>}
                {(delivery.status === 'dead' || delivery.status === 'dropped') && (
                  <button type="button" class="quiet" disabled={isBusy} onClick={() => void run(delivery.id)}>
                    {text.sendAgain}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function visibleLines(text: string): string {
  return text.split('\n').map(visible).join('\n');
}
