import { definitionOf, type ProbeType } from '@vantage/shared/probe-types/index.js';

/** What a node found, for people: the columns of the type in one line. */
export function summaryOf(type: ProbeType, result: object): string {
  return definitionOf(type)
    .columns.map(({ title, cell }) => [title, cell(result)] as const)
    .filter(([, text]) => text !== '-')
    .map(([title, text]) => `${title} ${text}`)
    .join(', ');
}
