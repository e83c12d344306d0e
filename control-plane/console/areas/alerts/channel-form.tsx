import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { createAlertChannel } from '../../../src/modules/alerts/routes/channels.js';
import { act } from '../../api/call.js';
import type { Failure } from '../../api/failure.js';
import { useQuery } from '../../api/query.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Copy } from '../../ui/copy.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { type Channel, channelTypeName } from './channels.js';
import { Back } from './head.js';
import { alertTexts } from './texts.js';

/** A field of the settings of a type, as the document of the API has it. */
interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
}

interface TypeSchema {
  readonly type: string;
  readonly required: readonly string[];
  readonly fields: Readonly<Record<string, FieldSchema>>;
}

interface ApiDocument {
  readonly components: {
    readonly schemas: Readonly<
      Record<
        string,
        {
          readonly required?: readonly string[];
          readonly properties?: Readonly<Record<string, FieldSchema & { const?: string; $ref?: string }>>;
        }
      >
    >;
  };
}

/** Types of channels with their settings, from the document of the API. */
function useTypes() {
  return useQuery(
    'types of channels',
    async (signal): Promise<readonly TypeSchema[]> => {
      const response = await fetch('/v1/openapi.json', { signal, credentials: 'omit' });
      const { schemas } = ((await response.json()) as ApiDocument).components;
      return Object.entries(schemas).flatMap(([name, { properties = {} }]) => {
        const config = schemas[properties['config']?.$ref?.split('/').at(-1) ?? ''];
        const type = properties['type']?.const ?? properties['type']?.enum?.[0];
        if (!name.endsWith('ChannelCreate') || config === undefined || type === undefined) return [];
        return [{ type, required: config.required ?? [], fields: config.properties ?? {} }];
      });
    },
    86_400_000,
  );
}

/** A new channel. */
export function NewChannel() {
  const text = alertTexts();
  const types = useTypes();
  const [, navigate] = useLocation();
  const [{ type }, setState] = useAddressState({ type: 'email' });
  const [created, setCreated] = useState<{ readonly id: string; readonly secret: string } | null>(null);
  if (created !== null)
    return (
      <section>
        <h1>{text.newChannel}</h1>
        <p>{common().secretOnce}</p>
        <Copy text={created.secret} />
        <Link class="button" href={`/alerts/channels/${created.id}`}>
          {text.toChannel}
        </Link>
      </section>
    );
  return (
    <section>
      <Back part="channels" />
      <h1>{text.newChannel}</h1>
      <Loaded query={types}>
        {(schemas) => (
          <>
            <p class="stacked">
              <Field label={text.type}>
                <select value={type} onChange={(event) => setState({ type: event.currentTarget.value })}>
                  {schemas.map((one) => (
                    <option key={one.type} value={one.type}>
                      {channelTypeName(one.type)}
                    </option>
                  ))}
                </select>
              </Field>
            </p>
            <Form
              key={type}
              schema={schemas.find((one) => one.type === type)}
              channel={null}
              save={async (fields) => {
                const { data } = await act<typeof createAlertChannel>('POST', '/v1/alert-channels', {
                  body: { type, ...fields },
                });
                if (data.secret === undefined) navigate(`/alerts/channels/${data.id}`);
                else setCreated({ id: data.id, secret: data.secret });
              }}
            />
          </>
        )}
      </Loaded>
    </section>
  );
}

/** The settings of a channel. Secrets are shown as asterisks, which keep them when they are sent back. */
export function ChannelSettings(props: { readonly channel: Channel; save(fields: object): Promise<void> }) {
  const { channel, save } = props;
  const types = useTypes();
  return (
    <Loaded query={types}>
      {(schemas) => <Form schema={schemas.find(({ type }) => type === channel.type)} channel={channel} save={save} />}
    </Loaded>
  );
}

interface FormProps {
  readonly schema: TypeSchema | undefined;
  readonly channel: Channel | null;
  save(fields: object): Promise<void>;
}

function Form({ schema, channel, save }: FormProps) {
  const text = alertTexts();
  const [name, setName] = useState(channel?.name ?? '');
  const [isEnabled, setIsEnabled] = useState(channel?.enabled ?? true);
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(Object.entries(channel?.config ?? {}).map(([field, value]) => [field, textOf(value)])),
  );
  const { isBusy, failure, run } = useAct(async () => {
    const config = Object.fromEntries(
      Object.entries(values).flatMap(([field, value]): [string, unknown][] => {
        if (value.trim() !== '') return [[field, valueOf(value, schema?.fields[field] ?? {})]];
        // null takes away what the channel has
        return channel !== null && Object.hasOwn(channel.config, field) ? [[field, null]] : [];
      }),
    );
    await save({ name, config, enabled: isEnabled });
  });
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field label={common().name} failure={failure} name="name">
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      {Object.entries(schema?.fields ?? {}).map(([field, one]) => (
        <ConfigField
          key={field}
          name={field}
          schema={one}
          isRequired={schema?.required.includes(field) === true}
          value={values[field] ?? ''}
          failure={failure}
          onChange={(value) => setValues({ ...values, [field]: value })}
        />
      ))}
      <label class="check">
        <input type="checkbox" checked={isEnabled} onChange={(event) => setIsEnabled(event.currentTarget.checked)} />
        {text.enabled}
      </label>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {common().save}
        </button>
        {channel === null && (
          <Link class="button quiet" href="/alerts/channels">
            {common().cancel}
          </Link>
        )}
      </div>
    </form>
  );
}

interface ConfigFieldProps {
  readonly name: string;
  readonly schema: FieldSchema;
  readonly isRequired: boolean;
  readonly value: string;
  readonly failure: Failure | null;
  onChange(value: string): void;
}

function ConfigField({ name, schema, isRequired, value, failure, onChange }: ConfigFieldProps) {
  const text = alertTexts();
  const { type, enum: choices, description = '' } = schema;
  const shape = type === 'array' ? text.onePerLine : type === 'object' ? text.pairPerLine : '';
  const field = { label: name, hint: `${shape} ${description}`.trim(), failure, name: `config.${name}` };
  const change = (event: { readonly currentTarget: { readonly value: string } }) => onChange(event.currentTarget.value);
  if (choices !== undefined || type === 'boolean') {
    const words: Readonly<Record<string, string>> = { true: common().yes, false: common().no };
    return (
      <Field {...field}>
        <select required={isRequired} value={value} onChange={change}>
          <option value="">{text.byDefault}</option>
          {(choices ?? ['true', 'false']).map((one) => (
            <option key={one} value={one}>
              {words[one] ?? one}
            </option>
          ))}
        </select>
      </Field>
    );
  }
  if (type === 'array' || type === 'object' || name === 'body')
    return (
      <Field {...field}>
        <textarea required={isRequired} spellcheck={false} value={value} onInput={change} />
      </Field>
    );
  const isSecret = /(?:secret|token|key|password)$/.test(name);
  return (
    <Field {...field}>
      <input
        required={isRequired}
        type={type === 'integer' ? 'number' : isSecret ? 'password' : 'text'}
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={change}
      />
    </Field>
  );
}

/** Text of a setting in its field; a list has one entry a line, an object one `name: value`. */
function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.map(String).join('\n');
  if (typeof value !== 'object' || value === null) return String(value ?? '');
  return Object.entries(value)
    .map(([name, one]) => `${name}: ${String(one)}`)
    .join('\n');
}

function valueOf(text: string, { type }: FieldSchema): unknown {
  const lines = text.split('\n').map((line) => line.trim());
  if (type === 'integer') return Number(text);
  if (type === 'boolean') return text === 'true';
  if (type === 'array') return lines.filter((line) => line !== '');
  if (type !== 'object') return text;
  const pairs = lines.filter((line) => line !== '').map((line) => /^([^:]*):?\s*(.*)$/s.exec(line) ?? []);
  return Object.fromEntries(pairs.map(([, name = '', value = '']) => [name.trim(), value]));
}
