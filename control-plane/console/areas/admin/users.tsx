import { Link } from 'wouter-preact';
import type { listUsers } from '../../../src/modules/accounts/routes/admin-users.js';
import { type DataOf, get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';
import { useAddressState } from '../../ui/address.js';
import { Select } from '../../ui/field.js';
import { Pages } from '../../ui/pages.js';
import { Empty, Loaded } from '../../ui/states.js';
import { type Look, Pill } from '../../ui/status.js';
import { Time } from '../../ui/time.js';
import { Part } from './part.js';
import { adminTexts } from './texts.js';

export type AdminUser = DataOf<typeof listUsers>['items'][number];

const PAGE_SIZE = 50;
const noFilter = { q: '', status: '', role: '', plan: '', page: '1' };

/** Every account of the installation. */
export function UsersView() {
  const text = adminTexts();
  const [filter, setFilter] = useAddressState(noFilter);
  const query = useQuery(`users ${JSON.stringify(filter)}`, (signal) =>
    get<typeof listUsers>('/v1/admin/users', { query: { ...filter, page_size: PAGE_SIZE }, signal }),
  );
  const any = { value: '', label: common().all };
  return (
    <Part name="users">
      <div class="filters" role="search">
        <label class="choice">
          <span>{text.searchUsers}</span>
          <input
            type="search"
            data-search
            value={filter.q}
            onInput={(event) => setFilter({ q: event.currentTarget.value, page: '1' })}
          />
        </label>
        <Select
          label={text.state}
          value={filter.status}
          options={[
            any,
            ...(['active', 'disabled', 'deleting'] as const).map((value) => ({ value, label: text.statuses[value] })),
          ]}
          onChange={(status) => setFilter({ status, page: '1' })}
        />
        <Select
          label={text.role}
          value={filter.role}
          options={[any, ...(['user', 'admin'] as const).map((value) => ({ value, label: text.roles[value] }))]}
          onChange={(role) => setFilter({ role, page: '1' })}
        />
        <Select
          label={text.plan}
          value={filter.plan}
          options={[
            any,
            ...(['free', 'pro', 'business', 'unlimited'] as const).map((value) => ({
              value,
              label: text.plans[value],
            })),
          ]}
          onChange={(plan) => setFilter({ plan, page: '1' })}
        />
      </div>
      <Loaded query={query}>
        {({ data: { items }, pagination }) =>
          items.length === 0 ? (
            <Empty>
              <p>{common().nothingMatches}</p>
              <button type="button" class="quiet" onClick={() => setFilter(noFilter)}>
                {common().clearFilters}
              </button>
            </Empty>
          ) : (
            <>
              <p class="small muted" role="status">
                {text.userCount(pagination?.total ?? items.length)}
              </p>
              <Table users={items} />
              <Pages
                page={Number(filter.page)}
                size={PAGE_SIZE}
                total={pagination?.total ?? 0}
                onPage={(page) => setFilter({ page: String(page) })}
              />
            </>
          )
        }
      </Loaded>
    </Part>
  );
}

function Table({ users }: { readonly users: readonly AdminUser[] }) {
  const text = adminTexts();
  return (
    <div class="wide">
      <table class="folding" aria-label={text.parts.users}>
        <thead>
          <tr>
            <th>{text.state}</th>
            <th>{text.email}</th>
            <th>{text.role}</th>
            <th>{text.plan}</th>
            <th>{text.factors}</th>
            <th>{text.lastSeen}</th>
            <th>{text.created}</th>
          </tr>
        </thead>
        <tbody>
          {users.map((user) => (
            <tr key={user.id}>
              <td class="whole">
                <UserStatus user={user} />
              </td>
              <td>
                <Link href={`/admin/users/${user.id}`}>{visible(user.email)}</Link>
                {!user.email_verified && <div class="small muted">{text.unverified}</div>}
              </td>
              <td data-title={text.role}>{text.roles[user.role]}</td>
              <td data-title={text.plan}>{text.plans[user.plan]}</td>
              <td data-title={text.factors}>{factorsOf(user)}</td>
              <td data-title={text.lastSeen}>
                {user.last_seen_at === null ? '–' : <Time at={user.last_seen_at} isShort />}
              </td>
              <td data-title={text.created}>
                <Time at={user.created_at} isShort />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const looks: Readonly<Record<AdminUser['status'], Look>> = {
  active: 'good',
  disabled: 'bad',
  deleting: 'warn',
  deleted: 'none',
};

export function UserStatus({ user: { status } }: { readonly user: AdminUser }) {
  return <Pill look={looks[status]} word={adminTexts().statuses[status]} />;
}

/** Ways in which a user can sign in, in words. */
export function factorsOf({ factors }: AdminUser): string {
  const { factorNames } = adminTexts();
  return factors.length === 0 ? common().none : factors.map((factor) => factorNames[factor]).join(', ');
}
