import { useState } from 'preact/hooks';
import type { Static } from 'typebox';
import type { AlertSilenceSchema } from '../../../src/modules/alerts/silences/silence-schema.js';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Field, Select } from '../../ui/field.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { useMonitorNames } from '../monitors/names.js';
import { Head } from './head.js';
import { alertTexts } from './texts.js';

type Silence = Static<typeof AlertSilenceSchema>;

/** Lengths that are offered, in seconds. */
const lengths = [1_800, 3_600, 7_200, 14_400, 28_800, 86_400, 604_800];

/** Silences, and the form of a new one. */
export function SilenceList() {
  const text = alertTexts();
  const [{ status }, setFilter] = useAddressState({ status: '' });
  const query = useQuery(`silences ${status}`, async (signal) => {
    const { data } = await get('/v1/alert-silences', { query: { status, page_size: 100 }, signal });
    return (data as { readonly items: readonly Silence[] }).items;
  });
  const { run, isBusy, failure } = useAct(async (id: string) => {
    await act('DELETE', `/v1/alert-silences/${id}`);
    query.reload();
  });
  const { nameOf } = useMonitorNames();
  return (
    <section>
      <Head part="silences" />
      <details>
        <summary>{text.newSilence}</summary>
        <NewSilence done={query.reload} />
      </details>
      <div class="filters" role="search">
        <Select
          label={text.status}
          value={status}
          options={[
            { value: '', label: common().all },
            ...Object.entries(text.silenceStatuses).map(([value, label]) => ({ value, label })),
          ]}
          onChange={(value) => setFilter({ status: value })}
        />
      </div>
      {failure !== null && <FailureNote failure={failure} />}
      <Loaded query={query}>
        {(silences) =>
          silences.length === 0 ? (
            <Empty>
              <p>{status === '' ? text.noSilences : common().nothingMatches}</p>
              {status !== '' && (
                <button type="button" class="quiet" onClick={() => setFilter({ status: '' })}>
                  {common().clearFilters}
                </button>
              )}
            </Empty>
          ) : (
            <div class="wide">
              <table class="folding" aria-label={text.parts.silences}>
                <thead>
                  <tr>
                    <th>{text.status}</th>
                    <th>{text.reason}</th>
                    <th>{text.scope}</th>
                    <th>{text.ends}</th>
                    <th>
                      <span class="hidden">{text.acts}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {silences.map((silence) => (
                    <tr key={silence.id}>
                      <td class="whole">
                        <Pill
                          look={silence.status === 'active' ? 'warn' : 'none'}
                          word={text.silenceStatuses[silence.status]}
                        />
                      </td>
                      <td>{visible(silence.reason)}</td>
                      <td data-title={text.scope}>
                        {silence.scope_type === 'all'
                          ? text.everyMonitor
                          : `${text.scopes[silence.scope_type]} ${silence.scope_ids.map((id) => visible(silence.scope_type === 'monitor' ? nameOf(id) : id)).join(', ')}`}
                      </td>
                      <td data-title={text.ends}>
                        <Time at={silence.ends_at} />
                      </td>
                      <td class="acts">
                        {silence.status !== 'expired' && (
                          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run(silence.id)}>
                            {text.endNow}
                          </button>
                        )}
                      </td>
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

function NewSilence({ done }: { done(): void }) {
  const text = alertTexts();
  const { monitors, nameOf } = useMonitorNames();
  const [reason, setReason] = useState('');
  const [monitor, setMonitor] = useState('');
  const [tags, setTags] = useState('');
  const [length, setLength] = useState('3600');
  const { isBusy, failure, run } = useAct(async () => {
    const tagList = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    const scope =
      monitor !== ''
        ? { scope_type: 'monitor', scope_ids: [monitor] }
        : tagList.length > 0
          ? { scope_type: 'tag', scope_ids: tagList }
          : { scope_type: 'all' };
    await act('POST', '/v1/alert-silences', { body: { reason, duration_sec: Number(length), ...scope } });
    setReason('');
    done();
  });
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field label={text.reason} failure={failure} name="reason">
        <input required maxLength={500} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </Field>
      <Field label={text.monitor} failure={failure} name="scope_ids">
        <select value={monitor} onChange={(event) => setMonitor(event.currentTarget.value)}>
          <option value="">{text.everyMonitor}</option>
          {monitors.map(({ id }) => (
            <option key={id} value={id}>
              {nameOf(id)}
            </option>
          ))}
        </select>
      </Field>
      {monitor === '' && (
        <Field label={text.tags} hint={text.tagsHint}>
          <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
        </Field>
      )}
      <Field label={text.lasts} failure={failure} name="duration_sec">
        <select value={length} onChange={(event) => setLength(event.currentTarget.value)}>
          {lengths.map((seconds) => (
            <option key={seconds} value={seconds}>
              {formatDuration(seconds)}
            </option>
          ))}
        </select>
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <p>
        <button type="submit" disabled={isBusy}>
          {text.createSilence}
        </button>
      </p>
    </form>
  );
}
