import { useState } from 'preact/hooks';
import { Confirm } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { adminTexts } from './texts.js';

/** An act with consequences, which are shown before it is done. */
export interface AdminAct {
  readonly label: string;
  readonly title: string;
  readonly why: string;
  /** Text that the person must enter, for `perform`. */
  readonly field?: { readonly label: string; readonly hint?: string; readonly pattern?: string };
  /** Name that confirms the act. */
  readonly name?: string;
  /** True if it takes nothing away. */
  readonly isHarmless?: boolean;
  perform(entered: string): Promise<unknown>;
}

/** Words of an act on the thing with this name. */
export function said({ label, why }: { readonly label: string; readonly why: string }, name: string) {
  return { label, title: adminTexts().actTitle(label, name), why };
}

/** Buttons of acts, and the dialog of the one that was chosen. */
export function Acts({ acts }: { readonly acts: readonly AdminAct[] }) {
  const [chosen, setChosen] = useState<AdminAct | null>(null);
  const [entered, setEntered] = useState('');
  return (
    <div class="row tight">
      {acts.map((one) => (
        <button
          key={one.label}
          type="button"
          class="quiet"
          onClick={() => {
            setEntered('');
            setChosen(one);
          }}
        >
          {one.label}
        </button>
      ))}
      {chosen !== null && (
        <Confirm
          title={chosen.title}
          act={chosen.label}
          {...(chosen.name !== undefined && { name: chosen.name })}
          isHarmless={chosen.isHarmless ?? false}
          onAct={() => chosen.perform(entered.trim())}
          onClose={() => setChosen(null)}
        >
          <p>{chosen.why}</p>
          {chosen.field !== undefined && (
            <Field label={chosen.field.label} {...(chosen.field.hint !== undefined && { hint: chosen.field.hint })}>
              <input
                required
                maxLength={500}
                pattern={chosen.field.pattern ?? '.*\\S.*'}
                value={entered}
                onInput={(event) => setEntered(event.currentTarget.value)}
              />
            </Field>
          )}
        </Confirm>
      )}
    </div>
  );
}
