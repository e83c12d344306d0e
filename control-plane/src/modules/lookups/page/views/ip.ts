import type { IpAnswer } from '../../kinds/ip.js';
import { type AnswerView, listText, networkText, type Row } from '../answer-view.js';
import type { Words } from '../words.js';

/** Place and network of an address. */
export function ipView(data: IpAnswer, { label }: Words): AnswerView {
  const { city, region, country_name, asn, isp, org, network, timezone, latitude, longitude, accuracy_km } = data;
  const place = listText([city, region === city ? null : region, country_name]);
  const radius = accuracy_km === null ? '' : ` ± ${accuracy_km} km`;
  const databases = data.sources.map(({ name, built_at: builtAt }) => `${name} (${builtAt.slice(0, 10)})`);
  const rows: Row[] = [
    [label('place'), place ?? label('unknown')],
    [label('network'), networkText(asn, isp) ?? label('unknown')],
    [label('organisation'), org === isp ? null : org],
    [label('range'), network],
    [label('timeZone'), timezone],
    [label('coordinates'), latitude === null || longitude === null ? null : `${latitude}, ${longitude}${radius}`],
    [label('databases'), listText(databases)],
  ];
  return { verdicts: [], note: null, parts: [{ kind: 'values', rows }] };
}
