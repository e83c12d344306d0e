import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { adminActs } from '../../../src/modules/nodes/routes/admin-acts.js';
import type { changeOwnNode, deleteOwnNode, rotateNodeKey } from '../../../src/modules/nodes/routes/own-nodes.js';
import { act, searchOf } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { formatNumber, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { Confirm, useAct } from '../../ui/dialog.js';
import { Field } from '../../ui/field.js';
import { FailureNote, Loaded, NotFound } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { NodeFacts } from '../nodes/node-page.js';
import { NodeStatus } from '../nodes/node-status.js';
import { nodeTexts } from '../nodes/texts.js';
import { type OwnNode, ownNodes } from './own-node.js';
import { myNodeTexts } from './texts.js';

/** A node of the account: its state, what its agent reports, and what its operator may do. */
export function OwnNodePage({ params: { id } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const query = useQuery('own nodes', ownNodes);
  return (
    <Loaded query={query}>
      {(nodes) => {
        const node = nodes.find((one) => one.id === id);
        return node === undefined ? <NotFound requestId={null} /> : <Shown node={node} reload={query.reload} />;
      }}
    </Loaded>
  );
}

interface NodeProps {
  readonly node: OwnNode;
  reload(): void;
}

function Shown({ node, reload }: NodeProps) {
  const text = myNodeTexts();
  return (
    <article>
      <p class="small">
        <Link href="/my-nodes">{text.allMine}</Link>
      </p>
      <div class="row ends">
        <h1>{visible(node.name)}</h1>
        <Acts node={node} reload={reload} />
      </div>
      <p>
        <NodeStatus node={node} />
      </p>
      {node.ban !== null && <p class="bad">{text.banned(visible(node.ban.reason ?? '–'))}</p>}
      {node.version_refused !== null && <p class="bad">{text.refused}</p>}
      <h2>{text.agent}</h2>
      <AgentFacts node={node} />
      <h2>{nodeTexts().place}</h2>
      <NodeFacts node={node} />
      <Settings key={node.id} node={node} reload={reload} />
    </article>
  );
}

function AgentFacts({ node }: { readonly node: OwnNode }) {
  const text = myNodeTexts();
  const { spool, upgrade, connected_at: connected, last_seen_at: seen, key } = node;
  return (
    <dl>
      <dt>{text.version}</dt>
      <dd>{visible(node.version)}</dd>
      <dt>{text.system}</dt>
      <dd>{visible(`${node.os} ${node.arch}`)}</dd>
      <dt>{text.host}</dt>
      <dd>{visible(node.hostname)}</dd>
      <dt>{text.lastSeen}</dt>
      <dd>{seen === null ? text.never : <Time at={seen} />}</dd>
      <dt>{text.connected}</dt>
      <dd>{connected === null ? text.never : <Time at={connected} />}</dd>
      {spool !== null && (
        <>
          <dt>{text.waiting}</dt>
          <dd>
            {formatNumber(spool.rows)}
            {spool.dropped_rows > 0 && <span class="warn"> {text.dropped(spool.dropped_rows)}</span>}
            {spool.problem !== null && <div class="bad">{visible(spool.problem)}</div>}
          </dd>
        </>
      )}
      {upgrade !== null && (
        <>
          <dt>{text.upgrade}</dt>
          <dd>
            {visible(upgrade.version)}: {text.upgrades[upgrade.state]}
            {upgrade.error !== null && <div class="bad">{visible(upgrade.error.message)}</div>}
          </dd>
        </>
      )}
      <dt>{text.key}</dt>
      <dd>
        <code>{key.fingerprint}</code>
        {key.rotation_requested_at !== null && <div>{text.rotating}</div>}
      </dd>
    </dl>
  );
}

type ActName = 'drain' | 'undrain' | 'rotate' | 'delete';

function Acts({ node, reload }: NodeProps) {
  const text = myNodeTexts();
  const [, navigate] = useLocation();
  const [asked, setAsked] = useState<ActName | null>(null);
  const name = visible(node.name);
  const perform = async (verb: ActName) => {
    if (verb === 'delete') {
      await act<typeof deleteOwnNode>('DELETE', `/v1/account/nodes/${node.id}`);
      navigate('/my-nodes');
      return;
    }
    if (verb === 'rotate') await act<typeof rotateNodeKey>('POST', `/v1/account/nodes/${node.id}/rotate-key`);
    else await act<(typeof adminActs)[number]>('POST', `/v1/admin/nodes/${node.id}/${verb}`);
    reload();
  };
  const undrain = useAct(() => perform('undrain'));
  const questions = {
    drain: { title: text.drainTitle(name), why: text.drainWhy, word: text.drain },
    rotate: { title: text.rotateTitle(name), why: text.rotateWhy, word: text.rotate },
    delete: { title: text.deleteTitle(name), why: text.deleteWhy, word: common().delete },
  };
  const question = asked === null || asked === 'undrain' ? null : questions[asked];
  return (
    <>
      <div class="row">
        {node.status === 'online' && (
          <Link class="button quiet" href={`/probe${searchOf({ node: node.id })}`}>
            {nodeTexts().probeFrom}
          </Link>
        )}
        {/* the API lets administrators alone drain */}
        {person.value?.role === 'admin' &&
          (node.is_draining ? (
            <button type="button" class="quiet" disabled={undrain.isBusy} onClick={() => void undrain.run()}>
              {text.undrain}
            </button>
          ) : (
            <button type="button" class="quiet" onClick={() => setAsked('drain')}>
              {text.drain}
            </button>
          ))}
        <button type="button" class="quiet" onClick={() => setAsked('rotate')}>
          {text.rotate}
        </button>
        <button type="button" class="quiet" onClick={() => setAsked('delete')}>
          {common().delete}
        </button>
      </div>
      {undrain.failure !== null && <FailureNote failure={undrain.failure} />}
      {asked !== null && question !== null && (
        <Confirm
          title={question.title}
          act={question.word}
          {...(asked === 'delete' ? { name: node.name.trim() } : {})}
          onAct={() => perform(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{question.why}</p>
        </Confirm>
      )}
    </>
  );
}

/** Name, tags and visibility, which the owner of a node sets. */
function Settings({ node, reload }: NodeProps) {
  const text = myNodeTexts();
  const [name, setName] = useState(node.name);
  const [tags, setTags] = useState(node.tags.join(', '));
  const [visibility, setVisibility] = useState(node.visibility);
  const [isSaved, setIsSaved] = useState(false);
  const { failure, isBusy, run } = useAct(async () => {
    setIsSaved(false);
    const list = tags.split(',').map((tag) => tag.trim());
    const body = { name: name.trim(), tags: list.filter((tag) => tag !== ''), visibility };
    await act<typeof changeOwnNode>('PATCH', `/v1/account/nodes/${node.id}`, { body });
    setIsSaved(true);
    reload();
  });
  return (
    <section>
      <h2>{text.settings}</h2>
      <form
        class="stacked"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <Field label={common().name} failure={failure} name="name">
          <input required maxLength={64} value={name} onInput={(event) => setName(event.currentTarget.value)} />
        </Field>
        <Field label={text.tags} hint={text.tagsHint} failure={failure} name="tags">
          <input value={tags} onInput={(event) => setTags(event.currentTarget.value)} />
        </Field>
        <Field label={text.visibility} failure={failure} name="visibility">
          <select
            value={visibility}
            onChange={(event) => setVisibility(event.currentTarget.value as OwnNode['visibility'])}
          >
            {(['public', 'private'] as const).map((one) => (
              <option key={one} value={one}>
                {text.visibilities[one]}
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
    </section>
  );
}
