import type { listMonitors } from '../../../src/modules/monitors/routes/monitors.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { visible } from '../../texts/format.js';

/** Names of the monitors of the account, for views that know their ids; of a monitor that is not among the first hundred, the id. */
export function useMonitorNames() {
  const { data } = useQuery(
    'names of monitors',
    async (signal) =>
      (await get<typeof listMonitors>('/v1/monitors', { query: { page_size: 100 }, signal })).data.items,
  );
  const names = new Map(data?.map(({ id, name }) => [id, visible(name)]));
  return { monitors: data ?? [], nameOf: (id: string) => names.get(id) ?? id };
}
