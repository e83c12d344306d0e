import { formatMs } from '../../texts/format.js';
import { probeTexts } from './texts.js';

const names = ['dns', 'connect', 'tls', 'wait', 'load'] as const;
type PhaseName = (typeof names)[number];

interface PhasesProps {
  /** Milliseconds of each; null if it did not happen. */
  readonly phases: Readonly<Record<PhaseName, number | null>>;
  /** Words of phases that differ from those of HTTP. */
  readonly words?: Partial<Record<PhaseName, string>>;
}

/** Phases of a connection, one after another, as a waterfall with the numbers beside it. */
export function Phases({ phases, words = {} }: PhasesProps) {
  const text = probeTexts();
  const happened = names.flatMap((name) => (phases[name] === null ? [] : [{ name, ms: phases[name] }]));
  const total = happened.reduce((sum, { ms }) => sum + ms, 0);
  if (total === 0) return null;
  let before = 0;
  return (
    <table class="phases" aria-label={text.phasesTitle}>
      <tbody>
        {happened.map(({ name, ms }) => {
          const start = before;
          before += ms;
          return (
            <tr key={name}>
              <th scope="row">{words[name] ?? text.phases[name]}</th>
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
