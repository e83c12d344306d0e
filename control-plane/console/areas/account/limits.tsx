import type { getLimits } from '../../../src/modules/accounts/routes/get-limits.js';
import type { listMonitors } from '../../../src/modules/monitors/routes/monitors.js';
import type { listOwnNodes } from '../../../src/modules/nodes/routes/own-nodes.js';
import type { Plan, PlanName, PlanNumberName } from '../../../src/plans/numbers.js';
import { get } from '../../api/call.js';
import { useQuery } from '../../api/query.js';
import { formatDuration, formatNumber } from '../../texts/format.js';
import { Loaded } from '../../ui/states.js';
import { Part } from './part.js';
import { accountTexts } from './texts.js';

/** Limits of the plan, and their use as far as the API counts it. */
export function LimitsView() {
  const text = accountTexts();
  const query = useQuery('limits', async (signal) => {
    const one = { query: { page_size: 1 }, signal };
    const [limits, monitors, nodes] = await Promise.all([
      get<typeof getLimits>('/v1/account/limits', { signal }),
      get<typeof listMonitors>('/v1/monitors', one),
      get<typeof listOwnNodes>('/v1/account/nodes', one),
    ]);
    const used: Partial<Record<PlanNumberName, number>> = {
      monitors: monitors.data.total,
      ...(nodes.pagination?.total !== undefined && { nodes: nodes.pagination.total }),
    };
    // the schema of the route is made from the list of the numbers, and its type does not name them
    return { limits: limits.data as unknown as Plan & { readonly plan: PlanName }, used };
  });
  return (
    <Part name="limits">
      <Loaded query={query}>
        {({ limits, used }) => (
          <>
            <p>
              {text.plan}: <strong>{text.plans[limits.plan]}</strong>
            </p>
            <table aria-label={text.parts.limits}>
              <thead>
                <tr>
                  <th>{text.limit}</th>
                  <th class="number">{text.allowed}</th>
                  <th class="number">{text.used}</th>
                </tr>
              </thead>
              <tbody>
                {(Object.keys(text.limitNames) as PlanNumberName[]).map((name) => (
                  <tr key={name}>
                    <td>{text.limitNames[name]}</td>
                    <td class="number">{limitText(name, limits[name])}</td>
                    <td class="number">{used[name] === undefined ? '–' : formatNumber(used[name])}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p class="small muted">{text.limitsNote}</p>
          </>
        )}
      </Loaded>
    </Part>
  );
}

function limitText(name: PlanNumberName, value: number | null): string {
  if (value === null) return accountTexts().unlimited;
  if (name === 'min_interval_s') return formatDuration(value);
  return name === 'check_days' ? formatDuration(value * 86_400) : formatNumber(value);
}
