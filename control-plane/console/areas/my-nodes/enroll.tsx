import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { consoleConfig } from '../../../src/modules/console/routes/config.js';
import type { createEnrollmentToken } from '../../../src/modules/nodes/routes/enrollment-tokens.js';
import type { getNode } from '../../../src/modules/nodes/routes/get-node.js';
import { act, type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { common } from '../../texts/words.js';
import { Copy } from '../../ui/copy.js';
import { useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded } from '../../ui/states.js';
import { Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { enrollmentTokens } from './own-node.js';
import { myNodeTexts } from './texts.js';

type Token = DataOf<typeof createEnrollmentToken>;

/** Time between two looks for the new node, in milliseconds. */
const LOOK_MS = 3_000;

/** Makes a token, says what to run on the machine, and waits until its node is online. */
export function EnrollNode() {
  const text = myNodeTexts();
  const [token, setToken] = useState<Token | null>(null);
  return (
    <section>
      <p class="small">
        <Link href="/my-nodes">{text.allMine}</Link>
      </p>
      <h1>{text.enroll}</h1>
      <p class="muted">{text.enrollWhy}</p>
      {token === null ? <TokenForm keep={setToken} /> : <Steps token={token} />}
    </section>
  );
}

function TokenForm({ keep }: { keep(token: Token): void }) {
  const text = myNodeTexts();
  const [label, setLabel] = useState('');
  const [country, setCountry] = useState('');
  const { failure, isBusy, run } = useAct(async () => {
    const body = {
      ...(label.trim() === '' ? {} : { label: label.trim() }),
      ...(country.trim() === '' ? {} : { country_code: country.trim().toUpperCase() }),
    };
    keep((await act<typeof createEnrollmentToken>('POST', '/v1/nodes/enrollment-tokens', { body })).data);
  });
  return (
    <form
      class="stacked"
      onSubmit={(event) => {
        event.preventDefault();
        void run();
      }}
    >
      <Field label={text.label} hint={text.labelHint} failure={failure} name="label">
        <input maxLength={40} value={label} onInput={(event) => setLabel(event.currentTarget.value)} />
      </Field>
      <Field label={text.country} hint={text.countryHint} failure={failure} name="country_code">
        <input class="short" maxLength={2} value={country} onInput={(event) => setCountry(event.currentTarget.value)} />
      </Field>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="row">
        <button type="submit" disabled={isBusy}>
          {text.createToken}
        </button>
      </div>
    </form>
  );
}

function Steps({ token }: { readonly token: Token }) {
  const text = myNodeTexts();
  const tokens = useQuery(token.id, enrollmentTokens, LOOK_MS);
  const ours = tokens.data?.find(({ id }) => id === token.id);
  const nodeId = ours?.consumed_node_id ?? null;
  useWarning(nodeId === null && ours?.status !== 'expired', text.leave);
  return (
    <>
      <h2>{text.stepInstall}</h2>
      <Commands />
      <p>{text.asks}</p>
      <Copy text={token.token} />
      <p class="small muted">
        {common().secretOnce} {text.validUntil} <Time at={token.expires_at} />
      </p>
      <h2>{text.stepWait}</h2>
      <div role="status">
        {nodeId !== null ? (
          <Arrival id={nodeId} />
        ) : (
          <Pill look="none" word={ours?.status === 'expired' ? text.expired : text.waitingForNode} />
        )}
      </div>
      {tokens.failure !== null && <FailureNote failure={tokens.failure} retry={tokens.reload} />}
    </>
  );
}

/** Command to run on the machine; the installer asks for the token, so that no list of processes shows it. */
function Commands() {
  const text = myNodeTexts();
  const config = useQuery('config', async (signal) => {
    return (await get<typeof consoleConfig>('/console/config', { signal })).data;
  });
  return (
    <Loaded query={config}>
      {({ enroll: { installer, agent } }) => {
        if (installer !== null) return <Copy text={installer} />;
        if (agent === null) return <p class="warn">{text.plain}</p>;
        return (
          <>
            <p>
              {text.noRelease} {person.value?.role === 'admin' && text.noReleaseAdmin}
            </p>
            <Copy text={agent} />
          </>
        );
      }}
    </Loaded>
  );
}

function Arrival({ id }: { readonly id: string }) {
  const text = myNodeTexts();
  const query = useQuery(
    id,
    async (signal) => (await get<typeof getNode>(`/v1/nodes/${id}`, { signal })).data,
    LOOK_MS,
  );
  const isOnline = query.data?.status === 'online';
  return (
    <p class="row">
      <Pill look={isOnline ? 'good' : 'none'} word={isOnline ? text.online : text.enrolledWaiting} />
      <Link class="button" href={`/my-nodes/${id}`}>
        {text.openNode}
      </Link>
    </p>
  );
}

/** Asks before the person leaves this view: by a link, by closing the tab or by loading the page again. */
function useWarning(isNeeded: boolean, question: string): void {
  useEffect(() => {
    if (!isNeeded) return;
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    const onClick = (event: MouseEvent) => {
      const isLink = event.target instanceof Element && event.target.closest('a') !== null;
      if (!isLink || confirm(question)) return;
      event.preventDefault();
      event.stopPropagation();
    };
    addEventListener('beforeunload', onUnload);
    document.addEventListener('click', onClick, true);
    return () => {
      removeEventListener('beforeunload', onUnload);
      document.removeEventListener('click', onClick, true);
    };
  }, [isNeeded, question]);
}
