import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { createRollout } from '../../../src/modules/rollouts/routes/create-rollout.js';
import type { listRollouts } from '../../../src/modules/rollouts/routes/read-rollouts.js';
import { act, type BodyOf, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Part } from './part.js';
import { adminTexts } from './texts.js';

export type Rollout = DataOf<typeof listRollouts>['items'][number];

const PAGE_SIZE = 20;

/** Upgrades of many nodes in stages. */
export function RolloutsView() {
  const text = adminTexts();
  const [{ page, form }, setState] = useAddressState({ page: '1', form: '' });
  const query = useQuery(`rollouts ${page}`, (signal) =>
    get<typeof listRollouts>('/v1/admin/rollouts', { query: { page, page_size: PAGE_SIZE }, signal }),
  );
  const start = form === '' && (
    <button type="button" onClick={() => setState({ form: 'new' })}>
      {text.newRollout}
    </button>
  );
  return (
    <Part name="rollouts">
      {form === 'new' && <RolloutForm onClose={() => setState({ form: '' })} />}
      <Loaded query={query}>
        {({ data: { items }, pagination }) =>
          items.length === 0 ? (
            start && (
              <Empty>
                <p>{text.rolloutsWhy}</p>
                {start}
              </Empty>
            )
          ) : (
            <>
              <div class="row ends">
                <p class="muted">{text.rolloutsWhy}</p>
                {start}
              </div>
              <RolloutTable rollouts={items} />
              <Pages
                page={Number(page)}
                size={PAGE_SIZE}
                total={pagination?.total ?? 0}
                onPage={(number) => setState({ page: String(number) })}
              />
            </>
          )
        }
      </Loaded>
    </Part>
  );
}

export function RolloutTable({ rollouts }: { readonly rollouts: readonly Rollout[] }) {
  const text = adminTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.parts.rollouts}>
        <thead>
          <tr>
            <th>{text.state}</th>
            <th>{text.version}</th>
            <th>{text.progress}</th>
            <th>{text.stage}</th>
            <th>{text.started}</th>
          </tr>
        </thead>
        <tbody>
          {rollouts.map((rollout) => (
            <tr key={rollout.id}>
              <td class="whole">
                <RolloutState rollout={rollout} />
              </td>
              <td>
                <Link href={`/admin/rollouts/${rollout.id}`}>{visible(rollout.version)}</Link>
              </td>
              <td data-title={text.progress}>{progressOf(rollout)}</td>
              <td data-title={text.stage}>
                {rollout.stage} / {rollout.stages.length}
              </td>
              <td data-title={text.started}>
                <Time at={rollout.created_at} isShort />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const looks: Readonly<Record<Rollout['state'], Look>> = {
  running: 'good',
  paused: 'warn',
  halted: 'bad',
  aborted: 'none',
  done: 'good',
};

export function RolloutState({ rollout: { state } }: { readonly rollout: Rollout }) {
  return <Pill look={looks[state]} word={adminTexts().rolloutStates[state]} />;
}

export function progressOf({ nodes }: Rollout): string {
  return adminTexts().progressText(nodes.done, nodes.total, nodes.failed);
}

function RolloutForm({ onClose }: { onClose(): void }) {
  const text = adminTexts();
  const [, navigate] = useLocation();
  const [version, setVersion] = useState('');
  const [countries, setCountries] = useState('');
  const [tags, setTags] = useState('');
  const [stages, setStages] = useState('1, 10, 100');
  const [maxFailures, setMaxFailures] = useState('3');
  const [pause, setPause] = useState('600');
  const { run, isBusy, failure } = useAct(async () => {
    const selection = {
      ...(countries.trim() !== '' && { countries: listOf(countries.toUpperCase()) }),
      ...(tags.trim() !== '' && { tags: listOf(tags) }),
    };
    const body = {
      version: version.trim(),
      selection,
      stages: listOf(stages).map(Number),
      max_failures: Number(maxFailures),
      pause_s: Number(pause),
    } satisfies BodyOf<typeof createRollout>;
    const { data } = await act<typeof createRollout>('POST', '/v1/admin/rollouts', { body });
    navigate(`/admin/rollouts/${data.id}`);
  });
  return (
    <form
      class="stacked raised"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <h2>{text.newRollout}</h2>
      <p>{text.rolloutWhat}</p>
      <Field label={text.version} hint={text.versionHint} failure={failure} name="version">
        <input required maxLength={32} value={version} onInput={(event) => setVersion(event.currentTarget.value)} />
      </Field>
      <Field label={text.countries} hint={text.selectionHint} failure={failure} name="selection.countries">
        <input value={countries} onInput={(event) => setCountries(event.currentTarget.value)} />
      </Field>
      <Field label={text.tags} hint={text.selectionHint} failure={failure} name="selection.tags">
        <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
      </Field>
      <Field label={text.stages} hint={text.stagesHint} failure={failure} name="stages">
        <input
          required
          pattern="\s*\d+(\s*,\s*\d+)*\s*"
          value={stages}
          onInput={(event) => setStages(event.currentTarget.value)}
        />
      </Field>
      <Field label={text.maxFailures} hint={text.maxFailuresHint} failure={failure} name="max_failures">
        <input
          type="number"
          required
          min={1}
          value={maxFailures}
          onInput={(event) => setMaxFailures(event.currentTarget.value)}
        />
      </Field>
      <Field label={text.pauseSeconds} failure={failure} name="pause_s">
        <input type="number" required min={0} value={pause} onInput={(event) => setPause(event.currentTarget.value)} />
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {text.startRollout}
        </button>
        <button type="button" class="quiet" onClick={onClose}>
          {common().cancel}
        </button>
      </div>
    </form>
  );
}

function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}
