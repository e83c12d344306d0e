import { Link } from 'wouter-preact';
import type { revokeEnrollmentToken } from '../../../src/modules/nodes/routes/enrollment-tokens.js';
import { act } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAct } from '../../ui/dialog.js';
import { Empty, FailureNote, Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { placeName } from '../nodes/node.js';
import { NodeStatus } from '../nodes/node-status.js';
import { nodeTexts } from '../nodes/texts.js';
import { enrollmentTokens, type OwnNode, ownNodes } from './own-node.js';
import { myNodeTexts } from './texts.js';

/** Nodes of the account, and the tokens that may add some. */
export function OwnNodeList() {
  const text = myNodeTexts();
  const query = useQuery('own nodes', ownNodes);
  return (
    <section>
      <div class="row ends">
        <h1>{text.title}</h1>
        <EnrollLink />
      </div>
      <Loaded query={query}>
        {(nodes) =>
          nodes.length === 0 ? (
            <Empty>
              <p>{text.emptyWhy}</p>
              <EnrollLink />
            </Empty>
          ) : (
            <Table nodes={nodes} />
          )
        }
      </Loaded>
      <Tokens />
    </section>
  );
}

function EnrollLink() {
  return (
    <Link class="button" href="/my-nodes/enroll">
      {myNodeTexts().enroll}
    </Link>
  );
}

function Table({ nodes }: { readonly nodes: readonly OwnNode[] }) {
  const text = myNodeTexts();
  const { state, place } = nodeTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.title}>
        <thead>
          <tr>
            <th>{state}</th>
            <th>{common().name}</th>
            <th>{place}</th>
            <th>{text.version}</th>
            <th>{text.lastSeen}</th>
          </tr>
        </thead>
        <tbody>
          {nodes.map((node) => (
            <tr key={node.id}>
              <td class="whole">
                <NodeStatus node={node} />
              </td>
              <td>
                <Link href={`/my-nodes/${node.id}`}>{visible(node.name)}</Link>{' '}
                {node.visibility === 'private' && <span class="tag">{text.visibilities.private}</span>}
                {node.version_refused !== null && <div class="bad">{text.refused}</div>}
              </td>
              <td data-title={place}>{placeName(node)}</td>
              <td data-title={text.version}>{visible(node.version)}</td>
              <td class="whole" data-title={text.lastSeen}>
                {node.last_seen_at === null ? text.never : <Time at={node.last_seen_at} isShort />}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Tokens that nobody has used yet; nothing if there is none. */
function Tokens() {
  const text = myNodeTexts();
  const query = useQuery('tokens', enrollmentTokens);
  const { failure, isBusy, run } = useAct(async (id: string) => {
    await act<typeof revokeEnrollmentToken>('DELETE', `/v1/nodes/enrollment-tokens/${id}`);
    query.reload();
  });
  const open = query.data?.filter(({ status }) => status === 'active') ?? [];
  if (open.length === 0) return null;
  return (
    <section>
      <h2>{text.openTokens}</h2>
      {failure !== null && <FailureNote failure={failure} />}
      <div class="wide">
        <table class="folding" aria-label={text.openTokens}>
          <thead>
            <tr>
              <th>{text.label}</th>
              <th>{text.token}</th>
              <th>{text.until}</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {open.map(({ id, label, preview, expires_at }) => (
              <tr key={id}>
                <td data-title={text.label}>{label === null ? '–' : visible(label)}</td>
                <td>
                  <code>{preview}</code>
                </td>
                <td data-title={text.until}>
                  <Time at={expires_at} />
                </td>
                <td class="acts">
                  <button type="button" class="quiet" disabled={isBusy} onClick={() => void run(id)}>
                    {text.revoke}
                  </button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
