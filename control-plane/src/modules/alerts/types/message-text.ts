import type { Message } from './message.js';

/** Message as plain text, without its title: its sentence, and one line for each fact, item and link. */
export function messageText({ customText, headline, facts, items, note, links }: Message): string {
  const body =
    customText === null
      ? [headline, ...facts.map(({ label, value }) => `${label}: ${value}`), ...items.map((item) => `- ${item}`), note]
      : [customText];
  const lines = [...body, ...links.map(({ label, url }) => `${label}: ${url}`)];
  return lines.filter((line) => line !== undefined && line !== null).join('\n');
}
