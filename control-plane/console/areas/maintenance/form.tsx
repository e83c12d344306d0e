import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { timeZone, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { useMonitorNames } from '../monitors/names.js';
import { monitorTexts } from '../monitors/texts.js';
import type { MaintenanceWindow } from './list.js';
import { maintenanceTexts } from './texts.js';
import { instantOf, wallTimeOf } from './wall-time.js';

/** A new maintenance window. */
export function NewWindow() {
  const [, navigate] = useLocation();
  return (
    <section>
      <h1>{maintenanceTexts().create}</h1>
      <Form
        window={null}
        save={async (body) => {
          await act('POST', '/v1/maintenance-windows', { body });
          navigate('/maintenance');
        }}
      />
    </section>
  );
}

/** The settings of a maintenance window. */
export function EditWindow({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const text = maintenanceTexts();
  const words = monitorTexts();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  // read once: a form does not change under the hands of the person
  const query = useQuery(
    id,
    async (signal) => (await get(`/v1/maintenance-windows/${id}`, { signal })).data as MaintenanceWindow,
    86_400_000,
  );
  return (
    <Loaded query={query}>
      {(window) => {
        const title = visible(window.title ?? text.untitled);
        return (
          <section>
            <p class="small">
              <Link href="/maintenance">{text.title}</Link>
            </p>
            <div class="row ends">
              <h1>{title}</h1>
              <button type="button" class="quiet" onClick={() => setIsDeleting(true)}>
                {words.delete}
              </button>
            </div>
            <Form
              window={window}
              save={async (body) => {
                await act('PATCH', `/v1/maintenance-windows/${id}`, { body });
                navigate('/maintenance');
              }}
            />
            {isDeleting && (
              <Confirm
                title={words.deleteTitle(title)}
                act={words.delete}
                {...(window.title !== null && { name: window.title.trim() })}
                onAct={async () => {
                  await act('DELETE', `/v1/maintenance-windows/${id}`);
                  navigate('/maintenance');
                }}
                onClose={() => setIsDeleting(false)}
              >
                <p>{text.deleteWhy}</p>
              </Confirm>
            )}
          </section>
        );
      }}
    </Loaded>
  );
}

interface FormProps {
  readonly window: MaintenanceWindow | null;
  save(body: object): Promise<void>;
}

const scopeTypes = ['all', 'monitor', 'group', 'tag'] as const;
const recurrences = ['none', 'daily', 'weekly', 'monthly'] as const;

function Form({ window, save }: FormProps) {
  const text = maintenanceTexts();
  const { monitors, nameOf } = useMonitorNames();
  const zone = window?.timezone ?? timeZone();
  const [title, setTitle] = useState(window?.title ?? '');
  const [scope, setScope] = useState<(typeof scopeTypes)[number]>(window?.scope_type ?? 'all');
  const [ids, setIds] = useState(window?.scope_ids ?? []);
  const [starts, setStarts] = useState(wallTimeOf(window?.starts_at ?? Date.now() + 3_600_000, zone));
  const [ends, setEnds] = useState(wallTimeOf(window?.ends_at ?? Date.now() + 7_200_000, zone));
  const [recurrence, setRecurrence] = useState<(typeof recurrences)[number]>(window?.recurrence ?? 'none');
  const { isBusy, failure, run } = useAct(() =>
    save({
      title: title.trim() === '' ? null : title,
      scope_type: scope,
      scope_ids: scope === 'all' ? [] : ids,
      starts_at: instantOf(starts, zone),
      ends_at: instantOf(ends, zone),
      recurrence,
      timezone: zone,
    }),
  );
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field label={text.name} failure={failure} name="title">
        <input maxLength={200} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </Field>
      <Field label={text.scope} failure={failure} name="scope_type">
        <select
          value={scope}
          onChange={(event) => {
            setScope(event.currentTarget.value as typeof scope);
            setIds([]);
          }}
        >
          {scopeTypes.map((type) => (
            <option key={type} value={type}>
              {type === 'all' ? text.everyMonitor : text.scopes[type]}
            </option>
          ))}
        </select>
      </Field>
      {scope === 'monitor' && (
        <Field label={text.monitors} failure={failure} name="scope_ids">
          <select
            multiple
            required
            size={8}
            onChange={(event) => setIds([...event.currentTarget.selectedOptions].map(({ value }) => value))}
          >
            {monitors.map(({ id }) => (
              <option key={id} value={id} selected={ids.includes(id)}>
                {nameOf(id)}
              </option>
            ))}
          </select>
        </Field>
      )}
      {(scope === 'tag' || scope === 'group') && (
        <Field label={scope === 'tag' ? text.tags : text.groups} failure={failure} name="scope_ids">
          <input
            required
            value={ids.join(',')}
            onInput={(event) => setIds(event.currentTarget.value.split(',').map((id) => id.trim()))}
          />
        </Field>
      )}
      <Field label={text.starts} hint={zone} failure={failure} name="starts_at">
        <input
          type="datetime-local"
          required
          value={starts}
          onInput={(event) => setStarts(event.currentTarget.value)}
        />
      </Field>
      <Field label={text.ends} hint={zone} failure={failure} name="ends_at">
        <input type="datetime-local" required value={ends} onInput={(event) => setEnds(event.currentTarget.value)} />
      </Field>
      <Field label={text.recurs} failure={failure} name="recurrence">
        <select value={recurrence} onChange={(event) => setRecurrence(event.currentTarget.value as typeof recurrence)}>
          {recurrences.map((one) => (
            <option key={one} value={one}>
              {text.recurrences[one]}
            </option>
          ))}
        </select>
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {common().save}
        </button>
        <Link class="button quiet" href="/maintenance">
          {common().cancel}
        </Link>
      </div>
    </form>
  );
}
