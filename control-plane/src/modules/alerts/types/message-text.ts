import type { Message } from './message.js';

/** Message as plain text, without its title: one line for each fact, item and link. */
export function messageText({ customText, facts, items, note, links }: Message): string {
  const body =
    customText === null
      ? [...facts.map(({ label, value }) => `${label}: ${value}`), ...items.map((item) => `- ${item}`), note]
      : [customText];
  return [...body, ...links.map(({ label, url }) => `${label}: ${url}`)].filter((line) => line !== null).join('\n');
}
