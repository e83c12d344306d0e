import { Link, useLocation } from 'wouter-preact';
import type {
  changeUser,
  deleteUser,
  endUserSessions,
  getUser,
  resetUserFactors,
  restoreUser,
} from '../../../src/modules/accounts/routes/admin-users.js';
import { act, type BodyOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { person } from '../../api/session.js';
import { visible } from '../../texts/format.js';
import { Loaded } from '../../ui/states.js';
import { Time } from '../../ui/time.js';
import { Acts, type AdminAct, said } from './acts.js';
import { Part } from './part.js';
import { adminTexts } from './texts.js';
import { type AdminUser, factorsOf, UserStatus } from './users.js';

/** One user, and what an administrator can do with the account. */
export function UserPage({ params: { id = '' } }: { readonly params: Readonly<Record<string, string | undefined>> }) {
  const query = useQuery(id, async (signal) => (await get<typeof getUser>(`/v1/admin/users/${id}`, { signal })).data);
  return (
    <Part>
      <Loaded query={query}>{(user) => <Shown user={user} show={query.show} />}</Loaded>
    </Part>
  );
}

function Shown({ user, show }: { readonly user: AdminUser; show(user: AdminUser): void }) {
  const text = adminTexts();
  const acts = useUserActs(user, show);
  return (
    <>
      <h1>{visible(user.email)}</h1>
      <div class="row">
        <UserStatus user={user} />
        {user.role === 'admin' && <span class="tag">{text.roles.admin}</span>}
        {!user.email_verified && <span class="tag">{text.unverified}</span>}
      </div>
      {user.status === 'deleting' && <p class="warn">{text.deletingNote}</p>}
      <h2>{text.acts}</h2>
      {user.id === person.value?.id ? <p class="muted">{text.ownAccount}</p> : <Acts acts={acts} />}
      <h2>{text.facts}</h2>
      <dl>
        <dt>ID</dt>
        <dd>
          <code>{user.id}</code>
        </dd>
        <dt>{text.role}</dt>
        <dd>{text.roles[user.role]}</dd>
        <dt>{text.plan}</dt>
        <dd>{text.plans[user.plan]}</dd>
        <dt>{text.factors}</dt>
        <dd>{factorsOf(user)}</dd>
        <dt>{text.created}</dt>
        <dd>
          <Time at={user.created_at} />
        </dd>
        <dt>{text.lastSeen}</dt>
        <dd>{user.last_seen_at === null ? text.notSeen : <Time at={user.last_seen_at} />}</dd>
      </dl>
      <p class="row">
        <Link href={`/admin/nodes?user_id=${user.id}`}>{text.nodesOfUser}</Link>
        <Link href={`/admin/audit?account_id=${user.id}`}>{text.auditOfUser}</Link>
      </p>
    </>
  );
}

/** Acts that the state of the account allows. */
function useUserActs(user: AdminUser, show: (user: AdminUser) => void): readonly AdminAct[] {
  const text = adminTexts();
  const [, navigate] = useLocation();
  const path = `/v1/admin/users/${user.id}`;
  const email = visible(user.email);
  const field = { label: text.reason, hint: text.reasonHint };
  const change = (changes: Omit<BodyOf<typeof changeUser>, 'reason'>) => async (reason: string) =>
    show((await act<typeof changeUser>('PATCH', path, { body: { ...changes, reason } })).data);
  const post = (name: 'reset-factors' | 'end-sessions' | 'restore') => async (reason: string) =>
    show(
      (
        await act<typeof resetUserFactors | typeof endUserSessions | typeof restoreUser>('POST', `${path}/${name}`, {
          body: { reason },
        })
      ).data,
    );
  if (user.status === 'deleting')
    return [{ ...said(text.restore, email), field, isHarmless: true, perform: post('restore') }];
  return [
    user.status === 'disabled'
      ? { ...said(text.enable, email), field, isHarmless: true, perform: change({ status: 'active' }) }
      : { ...said(text.disable, email), field, perform: change({ status: 'disabled' }) },
    user.role === 'admin'
      ? { ...said(text.makeUser, email), field, perform: change({ role: 'user' }) }
      : { ...said(text.makeAdmin, email), field, perform: change({ role: 'admin' }) },
    { ...said(text.endSessions, email), field, perform: post('end-sessions') },
    { ...said(text.resetFactors, email), field, perform: post('reset-factors') },
    {
      ...said(user.email_verified ? text.deleteUser : text.eraseUser, email),
      field,
      name: user.email,
      perform: async (reason) => {
        const { data } = await act<typeof deleteUser>('DELETE', path, { body: { reason } });
        if (data.status === 'deleted') navigate('/admin/users');
        else show(data);
      },
    },
  ];
}
