import { type ComponentChildren, cloneElement, isValidElement } from 'preact';
import { useId } from 'preact/hooks';
import type { Failure } from '../api/failure.js';

interface FieldProps {
  readonly label: string;
  readonly hint?: string;
  /** Refusal of the form, and the name of this field in it. */
  readonly failure?: Failure | null;
  readonly name?: string;
  readonly children: ComponentChildren;
}

/** A field of a form with its label, a hint, and what was wrong with its value; both describe the control for those who hear the page. */
export function Field({ label, hint, failure, name, children }: FieldProps) {
  const id = useId();
  const faults = name === undefined ? [] : (failure?.details[name] ?? []);
  const described = { 'aria-describedby': id, 'aria-invalid': faults.length > 0 };
  return (
    <div class="field">
      <label>
        <span>{label}</span>
        {isValidElement(children) ? cloneElement(children, described) : children}
      </label>
      <span id={id} class="small">
        {hint !== undefined && <span class="muted">{hint}</span>}
        {faults.map(({ message }) => (
          <span key={message} class="bad" role="alert">
            {message}
          </span>
        ))}
      </span>
    </div>
  );
}

/** Choice of one of few values. */
export function Select<V extends string>(props: {
  readonly label: string;
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string }[];
  onChange(value: V): void;
}) {
  const { label, value, options, onChange } = props;
  return (
    <label class="choice">
      <span>{label}</span>
      <select value={value} onChange={(event) => onChange(event.currentTarget.value as V)}>
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </label>
  );
}
