import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type { testAlertChannel, verifyAlertChannel } from '../../../src/modules/alerts/routes/channel-acts.js';
import type {
  changeAlertChannel,
  deleteAlertChannel,
  getAlertChannel,
} from '../../../src/modules/alerts/routes/channels.js';
import type { listAlertDeliveries } from '../../../src/modules/alerts/routes/deliveries.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { useAddressState } from '../../ui/address.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Tabs } from '../../ui/tabs.js';
import { monitorTexts } from '../monitors/texts.js';
import { ChannelSettings } from './channel-form.js';
import { type Channel, ChannelState, channelTypeName } from './channels.js';
import { DeliveryTable } from './deliveries.js';
import { Back } from './head.js';
import { alertTexts } from './texts.js';

/** One channel: whether it works, its recipients, its settings, and what was sent to it. */
export function ChannelPage({
  params: { id = '' },
}: {
  readonly params: Readonly<Record<string, string | undefined>>;
}) {
  const query = useQuery(
    id,
    async (signal) => (await get<typeof getAlertChannel>(`/v1/alert-channels/${id}`, { signal })).data,
  );
  return <Loaded query={query}>{(channel) => <Shown channel={channel} reload={query.reload} />}</Loaded>;
}

function Shown({ channel, reload }: { readonly channel: Channel; reload(): void }) {
  const text = alertTexts();
  const words = monitorTexts();
  const [{ tab }, setState] = useAddressState({ tab: 'settings' });
  return (
    <article>
      <Back part="channels" />
      <h1>{visible(channel.name)}</h1>
      <div class="row">
        <ChannelState channel={channel} /> {channelTypeName(channel.type)}
      </div>
      {channel.health.last_error !== null && <p class="bad">{visible(channel.health.last_error)}</p>}
      {channel.used_by.length === 0 && <p>{text.unusedWhy}</p>}
      <Acts channel={channel} reload={reload} />
      <Recipients channel={channel} reload={reload} />
      <Tabs
        tabs={[
          { id: 'settings', label: words.settings },
          { id: 'deliveries', label: text.parts.deliveries },
        ]}
        chosen={tab}
        choose={(chosen) => setState({ tab: chosen })}
      />
      {tab === 'deliveries' ? (
        <Deliveries id={channel.id} />
      ) : (
        <ChannelSettings
          channel={channel}
          save={async (fields) => {
            await act<typeof changeAlertChannel>('PATCH', `/v1/alert-channels/${channel.id}`, { body: fields });
            reload();
          }}
        />
      )}
    </article>
  );
}

function Acts({ channel, reload }: { readonly channel: Channel; reload(): void }) {
  const text = alertTexts();
  const words = monitorTexts();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const [result, setResult] = useState<DataOf<typeof testAlertChannel> | null>(null);
  const { isBusy, failure, run } = useAct(async () => {
    setResult(null);
    setResult((await act<typeof testAlertChannel>('POST', `/v1/alert-channels/${channel.id}/test`, { body: {} })).data);
    reload();
  });
  const attempt = result?.delivery?.attempts.at(-1);
  return (
    <>
      <div class="row">
        <button type="button" disabled={isBusy} onClick={() => void run()}>
          {isBusy ? text.testing : text.test}
        </button>
        {!channel.is_default && (
          <button type="button" class="quiet" onClick={() => setIsDeleting(true)}>
            {words.delete}
          </button>
        )}
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      {result !== null && (
        <section class="raised" role="status">
          <Pill look={result.ok ? 'good' : 'bad'} word={result.ok ? text.accepted : text.notAccepted} />{' '}
          {attempt?.status_code}
          {typeof attempt?.error === 'string' && <p>{visible(attempt.error)}</p>}
          {typeof attempt?.response === 'string' && attempt.response !== '' && (
            <pre class="wrapped">{visible(attempt.response)}</pre>
          )}
          {result.advice !== null && <p>{visible(result.advice)}</p>}
        </section>
      )}
      {isDeleting && (
        <Confirm
          title={words.deleteTitle(visible(channel.name))}
          act={words.delete}
          name={channel.name.trim()}
          onAct={async () => {
            await act<typeof deleteAlertChannel>('DELETE', `/v1/alert-channels/${channel.id}`);
            navigate('/alerts/channels');
          }}
          onClose={() => setIsDeleting(false)}
        >
          <p>{text.deleteChannelWhy}</p>
        </Confirm>
      )}
    </>
  );
}

function Recipients({ channel, reload }: { readonly channel: Channel; reload(): void }) {
  const text = alertTexts();
  const [codes, setCodes] = useState<Readonly<Record<string, string>>>({});
  const { isBusy, failure, run } = useAct(async (to: string, code?: string) => {
    await act<typeof verifyAlertChannel>('POST', `/v1/alert-channels/${channel.id}/verify`, { body: { to, code } });
    reload();
  });
  if (channel.recipients.length === 0) return null;
  return (
    <section>
      <h2>{text.recipients}</h2>
      <ul>
        {channel.recipients.map(({ to, verified, unsubscribed }) => (
          <li key={to}>
            <div class="row">
              {visible(to)}
              <span class="tag">{unsubscribed ? text.unsubscribed : verified ? text.verified : text.unverified}</span>
              {!verified && (
                <>
                  <input
                    aria-label={text.code(to)}
                    inputMode="numeric"
                    placeholder="12345678"
                    maxLength={8}
                    value={codes[to] ?? ''}
                    onInput={(event) => setCodes({ ...codes, [to]: event.currentTarget.value })}
                  />
                  <button
                    type="button"
                    disabled={isBusy || !/^\d{6,8}$/.test(codes[to] ?? '')}
                    onClick={() => void run(to, codes[to])}
                  >
                    {text.verify}
                  </button>
                  <button type="button" class="quiet" disabled={isBusy} onClick={() => void run(to)}>
                    {text.sendCode}
                  </button>
                </>
              )}
            </div>
          </li>
        ))}
      </ul>
      {failure !== null && <FailureNote failure={failure} />}
    </section>
  );
}

function Deliveries({ id }: { readonly id: string }) {
  const text = alertTexts();
  const query = useQuery(`${id} deliveries`, async (signal) => {
    const { data } = await get<typeof listAlertDeliveries>('/v1/alert-deliveries', {
      query: { channel_id: id, limit: 50 },
      signal,
    });
    return data.items;
  });
  return (
    <Loaded query={query}>
      {(deliveries) =>
        deliveries.length === 0 ? (
          <p>{text.noDeliveries}</p>
        ) : (
          <DeliveryTable deliveries={deliveries} reload={query.reload} />
        )
      }
    </Loaded>
  );
}
