import { formatMs } from '../../texts/format.js';
import { probeTexts } from './texts.js';

export interface Phase {
  /** Name of its colour. */
  readonly name: 'dns' | 'connect' | 'tls' | 'wait' | 'load';
  /** Null if it did not happen. */
  readonly ms: number | null;
  /** Its title, if it is not that of HTTP. */
  readonly title?: string;
}

/** Phases of a connection, one after another, as a waterfall with the numbers beside it. */
export function Phases({ phases }: { readonly phases: readonly Phase[] }) {
  const text = probeTexts();
  const happened = phases.flatMap(({ ms, ...phase }) => (ms === null ? [] : [{ ...phase, ms }]));
  const total = happened.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  let before = 0;
  return (
    <table class="phases" aria-label={text.phasesTitle}>
      <tbody>
        {happened.map(({ name, ms, title }) => {
          const start = before;
          before += ms;
          return (
            <tr key={name}>
              <th scope="row">{title ?? text.phases[name]}</th>
              <td>
                <svg aria-hidden="true">
                  <rect
                    class={`phase-${name}`}
                    x={`${(100 * start) / total}%`}
                    width={`${Math.max(0.3, (100 * ms) / total)}%`}
                    height="100%"
                  />
                </svg>
              </td>
              <td class="number">{formatMs(ms)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
