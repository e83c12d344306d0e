import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type {
  changeAlertPolicy,
  createAlertPolicy,
  deleteAlertPolicy,
  getAlertPolicy,
} from '../../../src/modules/alerts/routes/policies.js';
import { act, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { monitorTexts } from '../monitors/texts.js';
import { type Channel, useChannels } from './channels.js';
import { Back } from './head.js';
import type { Policy } from './policies.js';
import { alertTexts } from './texts.js';

/** A new policy. */
export function NewPolicy() {
  const [, navigate] = useLocation();
  return (
    <section>
      <Back part="policies" />
      <h1>{alertTexts().newPolicy}</h1>
      <WithChannels
        policy={null}
        save={async (body) => {
          await act<typeof createAlertPolicy>('POST', '/v1/alert-policies', { body });
          navigate('/alerts/policies');
        }}
      />
    </section>
  );
}

/** The settings of a policy. */
export function EditPolicy({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const text = alertTexts();
  const words = monitorTexts();
  const [, navigate] = useLocation();
  const [isDeleting, setIsDeleting] = useState(false);
  // read once: a form does not change under the hands of the person
  const query = useQuery(
    id,
    async (signal) => (await get<typeof getAlertPolicy>(`/v1/alert-policies/${id}`, { signal })).data,
    86_400_000,
  );
  return (
    <Loaded query={query}>
      {(policy) => (
        <section>
          <Back part="policies" />
          <div class="row ends">
            <h1>{visible(policy.name)}</h1>
            {!policy.is_default && (
              <button type="button" class="quiet" onClick={() => setIsDeleting(true)}>
                {words.delete}
              </button>
            )}
          </div>
          {policy.rules.length > 1 && <p>{text.firstRuleOnly(policy.rules.length - 1)}</p>}
          <WithChannels
            policy={policy}
            save={async (body) => {
              await act<typeof changeAlertPolicy>('PATCH', `/v1/alert-policies/${id}`, { body });
              navigate('/alerts/policies');
            }}
          />
          {isDeleting && (
            <Confirm
              title={words.deleteTitle(visible(policy.name))}
              act={words.delete}
              name={policy.name.trim()}
              onAct={async () => {
                await act<typeof deleteAlertPolicy>('DELETE', `/v1/alert-policies/${id}`);
                navigate('/alerts/policies');
              }}
              onClose={() => setIsDeleting(false)}
            >
              <p>{text.deletePolicyWhy}</p>
            </Confirm>
          )}
        </section>
      )}
    </Loaded>
  );
}

interface FormProps {
  readonly policy: Policy | null;
  save(body: object): Promise<void>;
}

function WithChannels(props: FormProps) {
  const query = useChannels();
  return <Loaded query={query}>{(channels) => <Form channels={channels} {...props} />}</Loaded>;
}

function Form({ policy, channels, save }: FormProps & { readonly channels: readonly Channel[] }) {
  const text = alertTexts();
  const [first, ...others] = policy?.rules ?? [];
  const [name, setName] = useState(policy?.name ?? '');
  const [isEnabled, setIsEnabled] = useState(policy?.enabled ?? true);
  const [tags, setTags] = useState(first?.match.tags_any.join(', ') ?? '');
  const [chosen, setChosen] = useState(first?.channels.map(({ channel_id: id }) => id) ?? []);
  const [delay, setDelay] = useState(String((first?.delay_sec ?? 0) / 60));
  const [steps, setSteps] = useState(
    policy?.escalation.steps.map(({ after_sec: after, channels: ones }) => ({
      minutes: String(after / 60),
      ids: ones.map(({ channel_id: id }) => id),
    })) ?? [],
  );
  const [isRecoveryNotified, setIsRecoveryNotified] = useState(policy?.on_recovery.notify ?? true);
  const { isBusy, failure, run } = useAct(async () => {
    const known = [...(first?.channels ?? []), ...(policy?.escalation.steps.flatMap((step) => step.channels) ?? [])];
    // a choice that the policy has keeps its recipients
    const choices = (ids: readonly string[]) =>
      ids.map((id) => known.find(({ channel_id: one }) => one === id) ?? { channel_id: id });
    const tagList = tags.split(',').map((tag) => tag.trim());
    await save({
      name,
      enabled: isEnabled,
      rules: [
        {
          ...first,
          match: { ...first?.match, tags_any: tagList.filter((tag) => tag !== '') },
          channels: choices(chosen),
          delay_sec: Math.round(Number(delay) * 60),
        },
        ...others,
      ],
      escalation: {
        steps: steps.map(({ minutes, ids }) => ({
          after_sec: Math.round(Number(minutes) * 60),
          channels: choices(ids),
        })),
      },
      on_recovery: { notify: isRecoveryNotified },
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
      <Field label={common().name} failure={failure} name="name">
        <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
      </Field>
      <Field label={text.tags} hint={text.tagsHint} failure={failure} name="rules.0.match.tags_any">
        <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      </Field>
      <Minutes label={text.delay} value={delay} onChange={setDelay} />
      <ChannelChoice label={text.notify} channels={channels} chosen={chosen} onChange={setChosen} />
      {steps.map((step, index) => {
        const change = (changes: Partial<typeof step>) =>
          setSteps(steps.map((one, at) => (at === index ? { ...one, ...changes } : one)));
        return (
          <fieldset key={index} class="stacked">
            <legend>{text.step(index + 1)}</legend>
            <Minutes label={text.stepAfter} value={step.minutes} onChange={(minutes) => change({ minutes })} />
            <ChannelChoice
              label={text.notify}
              channels={channels}
              chosen={step.ids}
              onChange={(ids) => change({ ids })}
            />
            <p>
              <button type="button" class="quiet" onClick={() => setSteps(steps.filter((_, at) => at !== index))}>
                {text.removeStep}
              </button>
            </p>
          </fieldset>
        );
      })}
      <p>
        <button type="button" class="quiet" onClick={() => setSteps([...steps, { minutes: '10', ids: [] }])}>
          {text.addStep}
        </button>
      </p>
      <Check label={text.recoveryNotified} isChecked={isRecoveryNotified} onChange={setIsRecoveryNotified} />
      <Check label={text.enabled} isChecked={isEnabled} onChange={setIsEnabled} />
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {common().save}
        </button>
        <Link class="button quiet" href="/alerts/policies">
          {common().cancel}
        </Link>
      </div>
    </form>
  );
}

function Minutes(props: { readonly label: string; readonly value: string; onChange(value: string): void }) {
  return (
    <Field label={props.label}>
      <input
        type="number"
        required
        min={0}
        max={1_440}
        step="any"
        value={props.value}
        onInput={(event) => props.onChange(event.currentTarget.value)}
      />
    </Field>
  );
}

function Check(props: { readonly label: string; readonly isChecked: boolean; onChange(isChecked: boolean): void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.isChecked}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

function ChannelChoice(props: {
  readonly label: string;
  readonly channels: readonly Channel[];
  readonly chosen: readonly string[];
  onChange(ids: string[]): void;
}) {
  const { label, channels, chosen, onChange } = props;
  return (
    <fieldset>
      <legend>{label}</legend>
      {channels.map(({ id, name }) => (
        <Check
          key={id}
          label={visible(name)}
          isChecked={chosen.includes(id)}
          onChange={(isChecked) => onChange(isChecked ? [...chosen, id] : chosen.filter((one) => one !== id))}
        />
      ))}
    </fieldset>
  );
}
