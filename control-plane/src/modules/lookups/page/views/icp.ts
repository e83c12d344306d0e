import type { IcpAnswer } from '../../kinds/icp.js';
import type { AnswerView } from '../answer-view.js';
import type { Words } from '../words.js';

/** ICP filing of a domain. */
export function icpView(data: IcpAnswer, { label, date }: Words): AnswerView {
  const { icp_number: number, note } = data;
  return {
    verdicts: [number === null ? { look: 'none', word: label('notFiled') } : { look: 'good', word: label('filed') }],
    note,
    parts: [
      {
        kind: 'values',
        rows: [
          [label('icpNumber'), number],
          [label('company'), data.company],
          [label('kindOfHolder'), data.type],
          [label('licence'), data.license_type],
          [label('filedAt'), date(data.filed_at)],
          [label('page'), data.inquiry_url],
          [label('source'), data.source],
        ],
      },
    ],
  };
}
