import { accessToken, isSignInNeeded, signInAddress } from '../api/session.js';
import { common } from '../texts/words.js';
import { Dialog } from '../ui/dialog.js';
import { shellTexts } from './texts.js';

/** Over the page of a person whose session has ended. */
export function SignInDialog() {
  const text = shellTexts();
  if (!isSignInNeeded.value) return null;
  return (
    <Dialog title={text.again} onClose={() => (isSignInNeeded.value = false)}>
      <p>{text.againWhy}</p>
      <p class="row">
        <a class="button" href={signInAddress()} target="_blank" rel="noopener">
          {text.open}
        </a>
        <button type="button" class="quiet" onClick={() => void accessToken(true).catch(() => null)}>
          {common().retry}
        </button>
      </p>
    </Dialog>
  );
}
