import { useState } from 'preact/hooks';
import type { requestEmailCode } from '../../src/modules/accounts/routes/email-codes.js';
import type { stepUp } from '../../src/modules/accounts/routes/second-factor.js';
import { act } from '../api/call.js';
import { person } from '../api/session.js';
import { question } from '../api/step-up.js';
import { common } from '../texts/words.js';
import { Dialog, useAct } from '../ui/dialog.js';
import { Field } from '../ui/field.js';
import { FailureNote } from '../ui/states.js';
import { shellTexts } from './texts.js';

/** Asks for a proof of identity while a request waits for it. */
export function StepUpDialog() {
  const asked = question.value;
  return asked === null ? null : <Question factors={asked.factors} answer={asked.answer} />;
}

function Question({ factors, answer }: { readonly factors: readonly string[]; answer(isProved: boolean): void }) {
  const text = shellTexts();
  const [entered, setEntered] = useState('');
  const field =
    factors.includes('totp') || factors.includes('recovery_code')
      ? 'otp'
      : factors.includes('password')
        ? 'password'
        : 'code';
  const proof = useAct(async () => {
    await act<typeof stepUp>('POST', '/v1/auth/step-up', { body: { [field]: entered.trim() } });
    answer(true);
  });
  const mail = useAct(() =>
    act<typeof requestEmailCode>('POST', '/v1/auth/otp/request', { body: { email: person.value?.email } }),
  );
  const label = { otp: text.otp, password: text.password, code: text.mailedCode }[field];
  return (
    <Dialog title={text.proveTitle} onClose={() => answer(false)}>
      <p>{text.proveWhy}</p>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          void proof.run();
        }}
      >
        <Field label={label}>
          <input
            required
            type={field === 'password' ? 'password' : 'text'}
            autocomplete={field === 'password' ? 'current-password' : 'one-time-code'}
            value={entered}
            onInput={(event) => setEntered(event.currentTarget.value)}
          />
        </Field>
        {field === 'code' && (
          <button type="button" class="quiet" disabled={mail.isBusy} onClick={() => void mail.run()}>
            {text.sendCode}
          </button>
        )}
        {[proof.failure, mail.failure].map(
          (failure) => failure !== null && <FailureNote key={failure.code} failure={failure} />,
        )}
        <div class="row">
          <button type="submit" disabled={proof.isBusy}>
            {text.confirm}
          </button>
          <button type="button" class="quiet" onClick={() => answer(false)}>
            {common().cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
