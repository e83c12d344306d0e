import { oneLine } from '../formats/characters.js';
import type { Message } from '../message.js';
import { isAboutEnd } from '../tone.js';
import { fillTemplate } from './fill-template.js';
import { parseTemplate, type TemplateError } from './parse-template.js';
import { valuesOf } from './variables.js';

const MAX_TITLE_BYTES = 1_024;

/** Texts of an owner for a channel; what is left out stays as it is by default. */
export interface CustomTexts {
  readonly title?: string;
  readonly text?: string;
  readonly resolved_title?: string;
  readonly resolved_text?: string;
}

/** Errors of each text that has any, by the name of its field. */
export function customTextErrors(texts: CustomTexts): Readonly<Record<string, readonly TemplateError[]>> {
  const found = Object.entries(texts).flatMap(([field, text]) => {
    const parsed = typeof text === 'string' ? parseTemplate(text) : null;
    return parsed === null || parsed.ok ? [] : [[field, parsed.errors] as const];
  });
  return Object.fromEntries(found);
}

/**
 * A message with the owner's texts in place of the default ones. Messages about an end use those for an end, or their
 * defaults; messages that verify or test never change.
 */
export function withCustomTexts(message: Message, texts: CustomTexts | null): Message {
  if (texts === null || message.kind === 'test' || message.kind === 'verification' || message.kind === 'notice')
    return message;
  const isOver = isAboutEnd(message);
  const title = isOver ? texts.resolved_title : texts.title;
  const text = isOver ? texts.resolved_text : texts.text;
  const filling = { values: valuesOf(message), timezone: message.timezone ?? 'UTC' };
  const filled = (template: string | undefined, mostBytes?: number) => {
    const parsed = template === undefined ? null : parseTemplate(template);
    return parsed?.ok === true ? fillTemplate(parsed.parts, filling, mostBytes) : null;
  };
  const ownTitle = oneLine(filled(title, MAX_TITLE_BYTES) ?? '');
  const customText = filled(text);
  if (ownTitle === '' && customText === null) return message;
  const { headline, ...rest } = message;
  // the sentence has the reason, and no place above a title of the owner
  const items = headline === undefined ? message.items : [headline, ...message.items];
  return { ...rest, title: ownTitle === '' ? message.title : ownTitle, items, customText };
}
