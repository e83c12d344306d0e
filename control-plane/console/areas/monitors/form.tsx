import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation, useSearch } from 'wouter-preact';
import type { monitorIntervals } from '../../../src/modules/monitors/definition/intervals.js';
import type { changeMonitor, createMonitor, getMonitor } from '../../../src/modules/monitors/routes/monitors.js';
import { act, get } from '../../api/call.js';
import { Failure } from '../../api/failure.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { type MonitorDetail, type MonitorTypeName, monitorTypes, typeName } from './monitor.js';
import { monitorTexts } from './texts.js';

/** Intervals of checks, in seconds. */
const intervals = [10, 30, 60, 300, 900, 1_800] satisfies (typeof monitorIntervals)[number][];

/** A new monitor. */
export function NewMonitor() {
  const [, navigate] = useLocation();
  // links of other views say what is to be monitored
  const asked = new URLSearchParams(useSearch());
  const [type, setType] = useState(monitorTypes.find((one) => one === asked.get('type')) ?? 'https');
  const text = monitorTexts();
  return (
    <section>
      <h1>{text.create}</h1>
      <p class="muted">{text.formWhy}</p>
      <Form
        before={
          <Field label={text.type} name="type">
            <select value={type} onChange={(event) => setType(event.currentTarget.value as MonitorTypeName)}>
              {monitorTypes.map((one) => (
                <option key={one} value={one}>
                  {typeName(one)}
                </option>
              ))}
            </select>
          </Field>
        }
        type={type}
        monitor={null}
        proposed={asked.get('target') ?? ''}
        save={async (fields) => {
          const { data } = await act<typeof createMonitor>('POST', '/v1/monitors', { body: { type, ...fields } });
          navigate(`/monitors/${data.id}`);
        }}
      />
    </section>
  );
}

/** The settings of a monitor. */
export function EditMonitor({
  params: { id = '' },
}: {
  readonly params: Readonly<Record<string, string | undefined>>;
}) {
  const text = monitorTexts();
  const [, navigate] = useLocation();
  // read once: a form does not change under the hands of the person
  const query = useQuery(
    `${id} to edit`,
    async (signal) => (await get<typeof getMonitor>(`/v1/monitors/${id}`, { signal })).data,
    86_400_000,
  );
  return (
    <Loaded query={query}>
      {(monitor) => (
        <section>
          <h1>{text.editing(visible(monitor.name))}</h1>
          <Form
            type={monitor.type}
            monitor={monitor}
            save={async (fields) => {
              await act<typeof changeMonitor>('PATCH', `/v1/monitors/${id}`, { body: fields });
              navigate(`/monitors/${id}`);
            }}
          />
        </section>
      )}
    </Loaded>
  );
}

interface FormProps {
  readonly type: string;
  readonly monitor: MonitorDetail | null;
  /** Target of a new monitor, before the person enters another. */
  readonly proposed?: string;
  readonly before?: ComponentChildren;
  save(fields: Record<string, unknown>): Promise<void>;
}

function Form({ type, monitor, proposed = '', before, save }: FormProps) {
  const text = monitorTexts();
  const [name, setName] = useState(monitor?.name ?? proposed);
  const [target, setTarget] = useState(monitor?.target ?? proposed);
  const [interval, setInterval] = useState(String(monitor?.interval_s ?? 60));
  const [nodeCount, setNodeCount] = useState(String(monitor?.node_count ?? 3));
  const [tags, setTags] = useState(monitor?.tags.join(', ') ?? '');
  const [config, setConfig] = useState(monitor === null ? '' : JSON.stringify(monitor.config, null, 2));
  const [period, setPeriod] = useState('86400');
  const [grace, setGrace] = useState('3600');
  const isHeartbeat = type === 'heartbeat';
  const { isBusy, failure, run } = useAct(async () => {
    const settings =
      isHeartbeat && monitor === null && config.trim() === ''
        ? { interval_s: Number(period), grace_s: Number(grace) }
        : parseObject(config);
    if (settings === null) {
      const fault = { code: 'format', message: text.mustBeJson };
      throw new Failure({ code: 'VALIDATION_FAILED', message: text.mustBeJson, details: { config: [fault] } });
    }
    const list = tags.split(',').map((tag) => tag.trim());
    await save({
      name,
      ...(isHeartbeat ? {} : { target, interval_s: Number(interval), node_count: Number(nodeCount) }),
      tags: list.filter((tag) => tag !== ''),
      ...(Object.keys(settings).length === 0 ? {} : { config: settings }),
    });
  });
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      {before}
      <Field label={common().name} hint={text.nameHint} failure={failure} name="name">
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      {!isHeartbeat && (
        <>
          <Field label={text.target} hint={text.targetHint} failure={failure} name="target">
            <input
              required
              maxLength={2_048}
              value={target}
              spellcheck={false}
              onInput={(event) => setTarget(event.currentTarget.value)}
            />
          </Field>
          <Field label={text.interval} failure={failure} name="interval_s">
            <select value={interval} onChange={(event) => setInterval(event.currentTarget.value)}>
              {[...new Set([...intervals, Number(interval)])]
                .sort((a, b) => a - b)
                .map((seconds) => (
                  <option key={seconds} value={seconds}>
                    {text.every(formatDuration(seconds))}
                  </option>
                ))}
            </select>
          </Field>
          <Field label={text.nodeCount} failure={failure} name="node_count">
            <input
              type="number"
              min={1}
              max={50}
              required
              value={nodeCount}
              onInput={(event) => setNodeCount(event.currentTarget.value)}
            />
          </Field>
        </>
      )}
      {isHeartbeat && monitor === null && (
        <>
          <Field label={text.period} failure={failure} name="config.interval_s">
            <input
              type="number"
              min={1}
              required
              value={period}
              onInput={(event) => setPeriod(event.currentTarget.value)}
            />
          </Field>
          <Field label={text.grace} failure={failure} name="config.grace_s">
            <input
              type="number"
              min={0}
              required
              value={grace}
              onInput={(event) => setGrace(event.currentTarget.value)}
            />
          </Field>
        </>
      )}
      <Field label={text.tags} hint={text.tagsHint} failure={failure} name="tags">
        <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      </Field>
      <details open={monitor !== null}>
        <summary>{text.config}</summary>
        <Field label={text.config} hint={text.configHint} failure={failure} name="config">
          <textarea
            rows={10}
            spellcheck={false}
            value={config}
            onInput={(event) => setConfig(event.currentTarget.value)}
          />
        </Field>
      </details>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {common().save}
        </button>
        <Link class="button quiet" href={monitor === null ? '/monitors' : `/monitors/${monitor.id}`}>
          {common().cancel}
        </Link>
      </div>
    </form>
  );
}

/** The object that a text is; an empty text is an empty one, and null stands for anything else. */
function parseObject(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}
