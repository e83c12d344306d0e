import { useState } from 'preact/hooks';
import type { changeProfile } from '../../src/modules/accounts/routes/profile.js';
import { act, type DataOf } from '../api/call.js';
import { person, signInAddress, signOut } from '../api/session.js';
import { isUtc } from '../texts/format.js';
import {
  chooseLocale,
  followProfile,
  type Locale,
  locale,
  localeNames,
  locales,
  profileLocale,
} from '../texts/locale.js';
import { useAct } from '../ui/dialog.js';
import { Select } from '../ui/field.js';
import { FailureNote } from '../ui/states.js';
import { shellTexts } from './texts.js';
import { chooseTheme, type Theme, theme, themes } from './theme.js';

/** The person who is signed in, with language, theme and zone of the page. */
export function PersonMenu() {
  const text = shellTexts();
  const [isOpen, setIsOpen] = useState(false);
  const { failure, run, isBusy } = useAct(signOut);
  const language = useAct(changeLanguage);
  const who = person.value;
  return (
    <div class="who">
      {who === null && (
        <a class="button" href={signInAddress()}>
          {text.signIn}
        </a>
      )}
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen}
        aria-controls="person"
        onClick={() => setIsOpen(!isOpen)}
      >
        {who?.display_name ?? who?.email ?? text.language}
      </button>
      <div id="person" class="popover" hidden={!isOpen}>
        {who && <p class="small muted">{who.email}</p>}
        <Select
          label={text.language}
          value={locale.value}
          options={locales.map((value) => ({ value, label: localeNames[value] }))}
          onChange={(chosen) => void language.run(chosen)}
        />
        <Select
          label={text.theme}
          value={theme.value}
          options={themes.map((value) => ({ value, label: text[value] }))}
          onChange={(chosen: Theme) => chooseTheme(chosen)}
        />
        <label class="check">
          <input
            type="checkbox"
            checked={isUtc.value}
            onChange={(event) => (isUtc.value = event.currentTarget.checked)}
          />
          {text.utc}
        </label>
        {language.failure !== null && <FailureNote failure={language.failure} />}
        {failure !== null && <FailureNote failure={failure} />}
        {who && (
          <button type="button" class="quiet" disabled={isBusy} onClick={() => void run()}>
            {text.signOut}
          </button>
        )}
      </div>
    </div>
  );
}

/** The language of a person is that of the profile, in which mails are written too. */
async function changeLanguage(chosen: Locale): Promise<void> {
  chooseLocale(chosen);
  const who = person.value;
  if (!who) return;
  const body = { locale: profileLocale(chosen) };
  const { data }: { data: DataOf<typeof changeProfile> } = await act<typeof changeProfile>(
    'PATCH',
    '/v1/account/profile',
    {
      body,
    },
  );
  person.value = { ...who, ...data };
  followProfile(data.locale);
}
