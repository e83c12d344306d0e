import type { ComponentChildren } from 'preact';
import { formatTime, visible } from '../../texts/format.js';
import { common } from '../../texts/words.js';

type Fields = Readonly<Record<string, unknown>>;

/** An answer of the API as values and tables. Names of fields are those of the API in every language. */
export function Facts({ value }: { readonly value: Fields }) {
  const known = Object.entries(value).filter(([, one]) => !isNothing(one));
  const short = known.filter(([, one]) => !isLarge(one));
  const large = known.filter(([, one]) => isLarge(one));
  return (
    <>
      {short.length > 0 && (
        <dl>
          {short.map(([name, one]) => (
            <Pair key={name} name={name}>
              {textOf(one)}
            </Pair>
          ))}
        </dl>
      )}
      {large.map(([name, one]) => (
        <section key={name}>
          <h3 lang="en">{nameOf(name)}</h3>
          {Array.isArray(one) ? <Rows name={name} rows={one as readonly Fields[]} /> : <Facts value={one as Fields} />}
        </section>
      ))}
    </>
  );
}

function Pair({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <>
      <dt lang="en">{nameOf(name)}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Rows({ name, rows }: { readonly name: string; readonly rows: readonly Fields[] }) {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row).filter((one) => !isNothing(row[one]))))];
  return (
    <div class="wide" tabIndex={0} role="region" aria-label={nameOf(name)}>
      <table aria-label={nameOf(name)}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} lang="en">
                {nameOf(column)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((column) => (
                <td key={column}>{isNothing(row[column]) ? '–' : textOf(row[column])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function nameOf(name: string): string {
  return visible(name.replaceAll('_', ' '));
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
}

/** True for a value that needs a part of its own: an object, or a list of objects. */
function isLarge(value: unknown): boolean {
  return Array.isArray(value) ? typeof value[0] === 'object' : typeof value === 'object';
}

function textOf(value: unknown): string {
  if (typeof value === 'boolean') return value ? common().yes : common().no;
  if (typeof value === 'string')
    return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? formatTime(value) : value.split('\n').map(visible).join(' ');
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, one]) => !isNothing(one))
      .map(([name, one]) => `${nameOf(name)} ${textOf(one)}`)
      .join(', ');
  return String(value);
}
