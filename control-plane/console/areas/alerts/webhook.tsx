import { useState } from 'preact/hooks';
import { useLocation } from 'wouter-preact';
import type {
  listWebhookDeliveries,
  redeliverWebhook,
  testWebhook,
} from '../../../src/modules/webhooks/routes/deliveries.js';
import type { changeWebhook, deleteWebhook, getWebhook } from '../../../src/modules/webhooks/routes/endpoints.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { useOlder } from '../../ui/older.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { monitorTexts } from '../monitors/texts.js';
import { Back } from './head.js';
import { alertTexts } from './texts.js';
import { type Endpoint, EndpointStatus } from './webhooks.js';

type Delivery = DataOf<typeof listWebhookDeliveries>['items'][number];

const looks: Readonly<Record<Delivery['status'], Look>> = {
  pending: 'none',
  retrying: 'warn',
  delivered: 'good',
  failed: 'bad',
  skipped: 'none',
};

/** One webhook endpoint with its deliveries. */
export function WebhookPage({
  params: { id = '' },
}: {
  readonly params: Readonly<Record<string, string | undefined>>;
}) {
  const query = useQuery(id, async (signal) => (await get<typeof getWebhook>(`/v1/webhooks/${id}`, { signal })).data);
  return (
    <Loaded query={query}>
      {(endpoint) => (
        <article>
          <Back part="webhooks" />
          <h1>{visible(endpoint.url)}</h1>
          <div class="row">
            <EndpointStatus status={endpoint.status} />
            <span>{endpoint.events.join(', ')}</span>
          </div>
          {endpoint.description !== null && <p>{visible(endpoint.description)}</p>}
          {endpoint.failing_since !== null && (
            <p class="bad">
              {text().failingSince} <Time at={endpoint.failing_since} />
            </p>
          )}
          <Acts endpoint={endpoint} reload={query.reload} />
          <Deliveries id={id} />
        </article>
      )}
    </Loaded>
  );
}

const text = alertTexts;

function Acts({ endpoint, reload }: { readonly endpoint: Endpoint; reload(): void }) {
  const words = monitorTexts();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  const [result, setResult] = useState<DataOf<typeof testWebhook> | null>(null);
  const test = useAct(async () => {
    setResult((await act<typeof testWebhook>('POST', `/v1/webhooks/${endpoint.id}/test`, { body: {} })).data);
  });
  const change = useAct(async (status: 'active' | 'paused') => {
    await act<typeof changeWebhook>('PATCH', `/v1/webhooks/${endpoint.id}`, { body: { status } });
    reload();
  });
  const failure = test.failure ?? change.failure;
  const attempt = result?.delivery.attempts.at(-1);
  return (
    <>
      <div class="row">
        <button type="button" disabled={test.isBusy} onClick={() => void test.run()}>
          {test.isBusy ? text().testing : text().test}
        </button>
        <button
          type="button"
          class="quiet"
          disabled={change.isBusy}
          onClick={() => void change.run(endpoint.status === 'active' ? 'paused' : 'active')}
        >
          {endpoint.status === 'active' ? words.pause : words.resume}
        </button>
        <button type="button" class="quiet" onClick={() => setIsDeleting(true)}>
          {words.delete}
        </button>
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      {result !== null && (
        <section class="raised" role="status">
          <Pill look={result.ok ? 'good' : 'bad'} word={result.ok ? text().accepted : text().notAccepted} />{' '}
          {attempt?.status_code}
          {typeof attempt?.error === 'string' && <p>{visible(attempt.error)}</p>}
        </section>
      )}
      {isDeleting && (
        <Confirm
          title={words.deleteTitle(visible(endpoint.url))}
          act={words.delete}
          name={endpoint.url}
          onAct={async () => {
            await act<typeof deleteWebhook>('DELETE', `/v1/webhooks/${endpoint.id}`);
            navigate('/alerts/webhooks');
          }}
          onClose={() => setIsDeleting(false)}
        >
          <p>{text().deleteWebhookWhy}</p>
        </Confirm>
      )}
    </>
  );
}

function Deliveries({ id }: { readonly id: string }) {
  const { newest, items, hasOlder, readOlder } = useOlder<Delivery>(`${id} deliveries`, async (cursor, signal) => {
    const answer = await get<typeof listWebhookDeliveries>(`/v1/webhooks/${id}/deliveries`, {
      query: { cursor, limit: 50 },
      ...(signal && { signal }),
    });
    return { ...answer, items: answer.data.items };
  });
  const older = useAct(readOlder);
  const again = useAct(async (delivery: string) => {
    await act<typeof redeliverWebhook>('POST', `/v1/webhooks/deliveries/${delivery}/redeliver`);
    newest.reload();
  });
  const failure = again.failure ?? older.failure;
  return (
    <>
      <h2>{text().parts.deliveries}</h2>
      {failure !== null && <FailureNote failure={failure} />}
      <Loaded query={newest}>
        {() =>
          items.length === 0 ? (
            <p>{text().noDeliveries}</p>
          ) : (
            <div class="wide">
              <table class="folding" aria-label={text().parts.deliveries}>
                <thead>
                  <tr>
                    <th>{text().status}</th>
                    <th>{common().time}</th>
                    <th>{text().kinds}</th>
                    <th>{text().attempts}</th>
                    <th>
                      <span class="hidden">{text().acts}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {items.map((delivery) => (
                    <tr key={delivery.id}>
                      <td class="whole">
                        <Pill look={looks[delivery.status]} word={text().webhookStatuses[delivery.status]} />
                      </td>
                      <td>
                        <Time at={delivery.created_at} />
                      </td>
                      <td>{delivery.type}</td>
                      <td data-title={text().attempts}>
                        {delivery.attempts.map(({ at, status_code: code, error }) => (
                          <div key={at}>
                            <Time at={at} isShort /> · {code ?? ''} {error !== null && visible(error)}
                          </div>
                        ))}
                      </td>
                      <td class="acts">
                        <button
                          type="button"
                          class="quiet"
                          disabled={again.isBusy}
                          onClick={() => void again.run(delivery.id)}
                        >
                          {text().sendAgain}
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
      {hasOlder && (
        <button type="button" class="quiet" disabled={older.isBusy} onClick={() => void older.run()}>
          {monitorTexts().older}
        </button>
      )}
    </>
  );
}
