import type { Locale } from '../http/locale.js';
import { renderHtml } from './render-html.js';
import type { Block, MailContent } from './templates/template.js';

/** A mail as it is read. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Shows a mail's blocks as text and as HTML. Whatever the data held, neither has line breaks or markup from it. */
export function renderMail({ subject, blocks }: MailContent, locale: Locale): RenderedMail {
  const clean = blocks.map(cleanBlock);
  const title = oneLine(subject);
  return { subject: title, text: renderText(clean), html: renderHtml(title, clean, locale) };
}

/** Control characters become spaces; marks that turn the direction of writing around, and invisible ones, vanish. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/\p{Cf}/gu, '');
}

function cleanBlock(block: Block): Block {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return { ...block, text: oneLine(block.text) };
    case 'button':
      return { ...block, label: oneLine(block.label), link: webAddress(block.link) };
    case 'code':
      return { ...block, label: oneLine(block.label), code: oneLine(block.code) };
  }
}

/** In its canonical form: characters that mean something in markup or end a line are percent-encoded. */
function webAddress(link: string): string {
  const url = new URL(link);
  if (!/^https?:$/.test(url.protocol)) throw new RangeError('a mail may only link to http and https');
  return url.href;
}

function renderText(blocks: readonly Block[]): string {
  return `${blocks.map(textOf).join('\n\n')}\n\n-- \nVantage\n`;
}

function textOf(block: Block): string {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return block.text;
    case 'button':
      return `${block.label}:\n${block.link}`;
    case 'code':
      return `${block.label}\n${block.code}`;
  }
}
