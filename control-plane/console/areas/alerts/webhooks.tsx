import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { createWebhook, listWebhooks } from '../../../src/modules/webhooks/routes/endpoints.js';
import type { listWebhookEventTypes } from '../../../src/modules/webhooks/routes/event-types.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Copy } from '../../ui/copy.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Head } from './head.js';
import { alertTexts } from './texts.js';

export type Endpoint = DataOf<typeof listWebhooks>['items'][number];

const looks: Readonly<Record<Endpoint['status'], Look>> = { active: 'good', paused: 'none', disabled: 'bad' };

export function EndpointStatus({ status }: { readonly status: Endpoint['status'] }) {
  return <Pill look={looks[status]} word={alertTexts().endpointStatuses[status]} />;
}

/** Webhook endpoints of the account, and the form of a new one. */
export function WebhookList() {
  const text = alertTexts();
  const query = useQuery(
    'webhooks',
    async (signal) =>
      (await get<typeof listWebhooks>('/v1/webhooks', { query: { page_size: 100 }, signal })).data.items,
  );
  return (
    <section>
      <Head part="webhooks" />
      <details>
        <summary>{text.newWebhook}</summary>
        <NewWebhook done={query.reload} />
      </details>
      <Loaded query={query}>
        {(endpoints) =>
          endpoints.length === 0 ? (
            <Empty>
              <p>{text.noWebhooks}</p>
            </Empty>
          ) : (
            <div class="wide">
              <table class="folding" aria-label={text.parts.webhooks}>
                <thead>
                  <tr>
                    <th>{text.status}</th>
                    <th>URL</th>
                    <th>{text.kinds}</th>
                    <th>{text.lastSuccess}</th>
                  </tr>
                </thead>
                <tbody>
                  {endpoints.map(({ id, url, status, events, description, last_success_at: at }) => (
                    <tr key={id}>
                      <td class="whole">
                        <EndpointStatus status={status} />
                      </td>
                      <td>
                        <Link href={`/alerts/webhooks/${id}`}>{visible(url)}</Link>
                        {description !== null && <div class="small muted">{visible(description)}</div>}
                      </td>
                      <td data-title={text.kinds}>{events.join(', ')}</td>
                      <td data-title={text.lastSuccess}>{at === null ? '–' : <Time at={at} isShort />}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Loaded>
    </section>
  );
}

function NewWebhook({ done }: { done(): void }) {
  const text = alertTexts();
  const [url, setUrl] = useState('');
  const [description, setDescription] = useState('');
  const [kinds, setKinds] = useState<readonly string[]>([]);
  const [secret, setSecret] = useState<string | null>(null);
  const types = useQuery(
    'kinds of webhook events',
    async (signal) => (await get<typeof listWebhookEventTypes>('/v1/webhooks/event-types', { signal })).data.items,
    86_400_000,
  );
  const { isBusy, failure, run } = useAct(async () => {
    const body = {
      url,
      description: description === '' ? null : description,
      events: kinds.length === 0 ? ['*'] : kinds,
    };
    setSecret((await act<typeof createWebhook>('POST', '/v1/webhooks', { body })).data.secret);
    done();
  });
  if (secret !== null)
    return (
      <>
        <p>{common().secretOnce}</p>
        <Copy text={secret} />
      </>
    );
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field label="URL" failure={failure} name="url">
        <input
          type="url"
          required
          maxLength={2_048}
          value={url}
          onInput={(event) => setUrl(event.currentTarget.value)}
        />
      </Field>
      <Field label={text.description} failure={failure} name="description">
        <input maxLength={500} value={description} onInput={(event) => setDescription(event.currentTarget.value)} />
      </Field>
      <Field label={text.kinds} hint={text.kindsHint} failure={failure} name="events">
        <select
          multiple
          size={8}
          onChange={(event) => setKinds([...event.currentTarget.selectedOptions].map(({ value }) => value))}
        >
          {types.data?.map(({ type }) => (
            <option key={type} value={type}>
              {type}
            </option>
          ))}
        </select>
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <p>
        <button type="submit" disabled={isBusy}>
          {common().save}
        </button>
      </p>
    </form>
  );
}
