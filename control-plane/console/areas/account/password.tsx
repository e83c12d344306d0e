import { useState } from 'preact/hooks';
import type { changePassword } from '../../../src/modules/accounts/routes/passwords.js';
import { act } from '../../api/call.js';
import { person } from '../../api/session.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote } from '../../ui/states.js';
import { accountTexts } from './texts.js';

/** Changes the password, or sets the first one. */
export function PasswordForm({ hasPassword, onSaved }: { readonly hasPassword: boolean; onSaved(): void }) {
  const text = accountTexts();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [isSaved, setIsSaved] = useState(false);
  const { run, isBusy, failure } = useAct(async () => {
    setIsSaved(false);
    const body = { ...(hasPassword && { current_password: current }), new_password: next };
    await act<typeof changePassword>('POST', '/v1/auth/password/change', { body });
    setCurrent('');
    setNext('');
    setIsSaved(true);
    onSaved();
  });
  return (
    <section>
      <h2>{text.password}</h2>
      <p class="muted">{hasPassword ? text.passwordWhy : text.passwordFirst}</p>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <input hidden readOnly autocomplete="username" value={person.value?.email} />
        {hasPassword && (
          <Field label={text.currentPassword} failure={failure} name="current_password">
            <input
              type="password"
              required
              autocomplete="current-password"
              value={current}
              onInput={(event) => setCurrent(event.currentTarget.value)}
            />
          </Field>
        )}
        <Field label={text.newPassword} failure={failure} name="new_password">
          <input
            type="password"
            required
            autocomplete="new-password"
            value={next}
            onInput={(event) => setNext(event.currentTarget.value)}
          />
        </Field>
        {failure !== null && <FailureNote failure={failure} />}
        <div class="row">
          <button type="submit" disabled={isBusy}>
            {hasPassword ? text.changePassword : text.setPassword}
          </button>
          <span role="status">{isSaved && text.passwordChanged}</span>
        </div>
      </form>
    </section>
  );
}
