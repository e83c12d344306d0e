import type { Failure } from '../../api/failure.js';
import { countryName, visible } from '../../texts/format.js';
import { Field } from '../../ui/field.js';
import { countsOf, type Node, networkName } from '../nodes/node.js';
import type { ProbeRequest } from './request.js';
import { probeTexts } from './texts.js';

interface PlaceProps {
  readonly nodes: readonly Node[];
  readonly request: ProbeRequest;
  readonly failure: Failure | null;
  change(changes: Partial<ProbeRequest>): void;
}

/** Numbers of nodes that are offered. */
const counts = ['1', '2', '3', '5', '10', '20', '50'];

/** Where to measure from, by what the online nodes have: each choice narrows the next ones. */
export function Place({ nodes, request, failure, change }: PlaceProps) {
  const text = probeTexts();
  const { country, city, asn, node, count } = request;
  const online = nodes.filter(({ status }) => status === 'online');
  const inCountry = online.filter((one) => country === '' || one.country === country);
  const inCity = inCountry.filter((one) => city === '' || one.city === city);
  const inNetwork = inCity.filter((one) => asn === '' || String(one.asn) === asn);
  const networks = new Map(online.map((one) => [String(one.asn), networkName(one)]));
  const nodeNames = new Map(online.map(({ id, name }) => [id, name]));
  return (
    <fieldset class="filters">
      <legend>{text.place}</legend>
      <Choice
        label={text.country}
        value={country}
        options={countsOf(online, (one) => one.country)}
        nameOf={countryName}
        choose={(value) => change({ country: value, city: '', asn: '', node: '' })}
      />
      <Choice
        label={text.city}
        value={city}
        options={countsOf(inCountry, (one) => one.city)}
        nameOf={visible}
        choose={(value) => change({ city: value, asn: '', node: '' })}
      />
      <Choice
        label={text.network}
        value={asn}
        options={countsOf(inCity, (one) => (one.asn === null ? null : String(one.asn)))}
        nameOf={(value) => networks.get(value) ?? `AS${value}`}
        choose={(value) => change({ asn: value, node: '' })}
      />
      <Choice
        label={text.node}
        value={node}
        options={inNetwork.map(({ id }) => ({ value: id, count: null }))}
        nameOf={(id) => visible(nodeNames.get(id) ?? id)}
        choose={(value) => change({ node: value })}
      />
      {node === '' && (
        <Field label={text.nodeCount} failure={failure} name="nodes.limit">
          <select value={count} onChange={(event) => change({ count: event.currentTarget.value })}>
            {[...new Set([...counts, count])].map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
        </Field>
      )}
    </fieldset>
  );
}

function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly { readonly value: string; readonly count: number | null }[];
  nameOf(value: string): string;
  choose(value: string): void;
}) {
  const { label, value, options, nameOf, choose } = props;
  // the chosen one stays, if its last node went offline meanwhile
  const isListed = value === '' || options.some((option) => option.value === value);
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">{probeTexts().anywhere}</option>
        {!isListed && <option value={value}>{nameOf(value)}</option>}
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {nameOf(option.value)}
            {option.count !== null && ` (${option.count})`}
          </option>
        ))}
      </select>
    </Field>
  );
}
