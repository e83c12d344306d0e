import { useState } from 'preact/hooks';
import type { changeProfile, getProfile } from '../../../src/modules/accounts/routes/profile.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { shellTexts } from '../../shell/texts.js';
import { chooseTheme, type Theme, themes } from '../../shell/theme.js';
import { localeNames, locales, profileLocale } from '../../texts/locale.js';
import { common } from '../../texts/words.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Part } from './part.js';
import { PasswordForm } from './password.js';
import { Protection } from './protection.js';
import { accountTexts } from './texts.js';

type Profile = DataOf<typeof getProfile>;

/** The person: name, language, zone and theme, the password, and what else protects the account. */
export function ProfileView() {
  // read once: a form does not change under the hands of the person
  const query = useQuery(
    'profile',
    async (signal) => (await get<typeof getProfile>('/v1/account/profile', { signal })).data,
    86_400_000,
  );
  return (
    <Part name="profile">
      <Loaded query={query}>
        {(profile) => (
          <>
            <ProfileForm profile={profile} />
            <PasswordForm hasPassword={profile.has_password} onSaved={query.reload} />
            <Protection />
          </>
        )}
      </Loaded>
    </Part>
  );
}

function ProfileForm({ profile }: { readonly profile: Profile }) {
  const text = accountTexts();
  const shell = shellTexts();
  const [fields, setFields] = useState({
    display_name: profile.display_name ?? '',
    bio: profile.bio ?? '',
    locale: profile.locale,
    timezone: profile.timezone,
    theme: profile.theme,
  });
  const [isSaved, setIsSaved] = useState(false);
  const change = (changes: Partial<typeof fields>) => {
    setIsSaved(false);
    setFields({ ...fields, ...changes });
  };
  const { run, isBusy, failure } = useAct(async () => {
    const { data } = await act<typeof changeProfile>('PATCH', '/v1/account/profile', { body: fields });
    // the language of the page follows the person
    if (person.value) person.value = { ...person.value, ...data };
    chooseTheme(data.theme);
    setIsSaved(true);
  });
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <p>
        {profile.email} <span class="small muted">{profile.email_verified ? text.verified : text.unverified}</span>
      </p>
      <Field label={text.displayName} failure={failure} name="display_name">
        <input
          maxLength={64}
          autocomplete="name"
          value={fields.display_name}
          onInput={(event) => change({ display_name: event.currentTarget.value })}
        />
      </Field>
      <Field label={text.bio} failure={failure} name="bio">
        <textarea maxLength={500} value={fields.bio} onInput={(event) => change({ bio: event.currentTarget.value })} />
      </Field>
      <Field label={shell.language} hint={text.languageHint} failure={failure} name="locale">
        <select
          value={fields.locale}
          onChange={(event) => change({ locale: event.currentTarget.value as Profile['locale'] })}
        >
          {locales.map((one) => (
            <option key={one} value={profileLocale(one)}>
              {localeNames[one]}
            </option>
          ))}
        </select>
      </Field>
      <Field label={text.timezone} hint={text.timezoneHint} failure={failure} name="timezone">
        <select value={fields.timezone} onChange={(event) => change({ timezone: event.currentTarget.value })}>
          {zones(profile.timezone).map((zone) => (
            <option key={zone}>{zone}</option>
          ))}
        </select>
      </Field>
      <Field label={shell.theme} failure={failure} name="theme">
        <select value={fields.theme} onChange={(event) => change({ theme: event.currentTarget.value as Theme })}>
          {themes.map((theme) => (
            <option key={theme} value={theme}>
              {shell[theme]}
            </option>
          ))}
        </select>
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {common().save}
        </button>
        <span role="status">{isSaved && text.saved}</span>
      </div>
    </form>
  );
}

/** Zones that the browser knows, and that of the profile. */
function zones(own: string): readonly string[] {
  return [...new Set(['UTC', own, ...Intl.supportedValuesOf('timeZone')])].toSorted();
}
