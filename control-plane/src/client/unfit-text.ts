import { textCell } from '@vantage/shared/probe-types/cells.js';
import type { Screen } from '@vantage/shared/terminal/screen.js';
import { wrapText } from '@vantage/shared/terminal/wrap-text.js';
import type { TaskView } from '../modules/probes/index.js';

type UnfitNodes = NonNullable<TaskView['unfit_nodes']>;

/** Names of capabilities and IP families, for people. */
const names: Readonly<Record<UnfitNodes[number]['lacks'], string>> = {
  icmp: 'raw sockets for ICMP',
  icmp_echo: 'ICMP',
  browser: 'browser',
  ipv4: 'IPv4',
  ipv6: 'IPv6',
};

/**
 * Lines about selected nodes that could not take part, wrapped at the width; none if all could. Example:
 * `2 of 3 nodes; berlin-1 cannot run ping: no ICMP`.
 */
export function unfitLines(
  { probe_type, node_results, unfit_nodes: unfit = [] }: TaskView,
  { width }: Pick<Screen, 'width'>,
  placeOf: (nodeId: string) => string,
): string[] {
  if (unfit.length === 0) return [];
  const took = node_results.length;
  const reasons = [...new Set(unfit.map(({ lacks }) => lacks))];
  const texts = reasons.map((reason) => {
    const places = unfit.filter(({ lacks }) => lacks === reason).map(({ node_id }) => placeOf(node_id));
    return `${places.join('; ')} cannot run ${probe_type}: no ${names[reason]}`;
  });
  const text = textCell(`${took} of ${took + unfit.length} nodes; ${texts.join('; ')}`);
  return wrapText(text, width - 2).map((line) => `  ${line}`);
}
