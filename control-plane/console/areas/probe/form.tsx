import type { ProbeType } from '@vantage/shared/probe-types/index.js';
import type { Failure } from '../../api/failure.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Field } from '../../ui/field.js';
import { FailureNote } from '../../ui/states.js';
import { everyNode } from '../nodes/node.js';
import { type Entry, type ParamName, paramsOf, probeTitles, probeTypes } from './params.js';
import { Place } from './place.js';
import { enteredParams, type ProbeRequest, typeOf, withParam } from './request.js';
import { probeTexts } from './texts.js';

interface FormProps {
  readonly request: ProbeRequest;
  readonly failure: Failure | null;
  readonly isBusy: boolean;
  change(changes: Partial<ProbeRequest>): void;
  run(): void;
}

/** Target to measure, with which parameters, and from where. */
export function ProbeForm({ request, failure, isBusy, change, run }: FormProps) {
  const text = probeTexts();
  const nodes = useQuery('nodes', everyNode);
  const type = typeOf(request);
  const { shown, others } = paramsOf(type);
  const isChanged = others.some(([name]) => (enteredParams(request)[name] ?? '') !== '');
  const paramField = ([name, entry]: [ParamName, Entry]) => (
    <Param key={`${type} ${name}`} {...{ name, entry, request, failure, change }} />
  );
  return (
    <form
      class="probe"
      onSubmit={(event) => {
        event.preventDefault();
        run();
      }}
    >
      <div class="filters">
        <Field label={text.type}>
          <select
            value={type}
            onChange={(event) => change({ type: event.currentTarget.value as ProbeType, params: '' })}
          >
            {probeTypes.map((one) => (
              <option key={one} value={one}>
                {probeTitles[one]}
              </option>
            ))}
          </select>
        </Field>
        <div class="grows">
          <Field label={text.target} hint={text.targetHint} failure={failure} name="target">
            <input
              required
              maxLength={2_048}
              value={request.target}
              placeholder="example.com"
              autocapitalize="none"
              spellcheck={false}
              onInput={(event) => change({ target: event.currentTarget.value })}
            />
          </Field>
        </div>
      </div>
      <Place nodes={nodes.data ?? []} request={request} failure={failure} change={change} />
      <fieldset class="filters">
        <legend>{text.parameters}</legend>
        {shown.map(paramField)}
      </fieldset>
      {others.length > 0 && (
        <details open={isChanged}>
          <summary>{text.moreParameters}</summary>
          <div class="filters">{others.map(paramField)}</div>
        </details>
      )}
      {failure !== null && <FailureNote failure={failure} />}
      <button type="submit" disabled={isBusy}>
        {text.run}
      </button>
    </form>
  );
}

interface ParamProps extends Pick<FormProps, 'request' | 'failure' | 'change'> {
  readonly name: ParamName;
  readonly entry: Entry;
}

function Param({ name, entry, request, failure, change }: ParamProps) {
  const text = probeTexts();
  const hints: Partial<Record<string, string>> = {
    lines: text.linesHint,
    headers: text.headersHint,
    text: name === 'body' ? text.bodyHint : undefined,
  };
  const hint = typeof entry === 'string' ? hints[entry] : undefined;
  return (
    <Field
      label={text.params[name]}
      failure={failure}
      name={`params.${name}`}
      {...(hint === undefined ? {} : { hint })}
    >
      <Control
        entry={name === 'body' ? 'lines' : entry}
        value={enteredParams(request)[name] ?? ''}
        onValue={(value) => change(withParam(request, name, value))}
      />
    </Field>
  );
}

function Control({
  entry,
  value,
  onValue,
}: {
  readonly entry: Entry;
  readonly value: string;
  onValue(text: string): void;
}) {
  const text = probeTexts();
  if (entry === 'lines' || entry === 'headers')
    return (
      <textarea rows={3} spellcheck={false} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
    );
  if (entry === 'number' || entry === 'text')
    return (
      <input
        type={entry}
        class={entry === 'number' ? 'short' : undefined}
        value={value}
        placeholder={text.standard}
        spellcheck={false}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    );
  const words: Readonly<Record<string, string>> = { true: common().yes, false: common().no };
  const values = entry === 'yes-no' ? Object.keys(words) : entry;
  return (
    <select value={value} onChange={(event) => onValue(event.currentTarget.value)}>
      <option value="">{text.standard}</option>
      {values.map((one) => (
        <option key={one} value={one}>
          {words[one] ?? visible(one)}
        </option>
      ))}
    </select>
  );
}
