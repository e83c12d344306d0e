import type { Locale } from '../http/locale.js';
import { renderHtml } from './render-html.js';
import { type Block, type MailContent, type MailLink, paragraph } from './template.js';

/** A mail as recipients read it. */
export interface RenderedMail {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** Renders a mail as text and as HTML. Line breaks and markup in the data appear in neither. */
export function renderMail({ subject, headline, tone = 'neutral', blocks }: MailContent, locale: Locale): RenderedMail {
  const clean = blocks.map(cleanBlock);
  const title = oneLine(subject);
  const heading = headline === undefined ? null : oneLine(headline);
  const lead = heading === null ? [] : [paragraph(heading)];
  const html = renderHtml({ title: heading ?? title, tone, blocks: clean }, locale);
  return { subject: title, text: renderText([...lead, ...clean]), html };
}

/** Replaces control characters by spaces, and removes invisible characters, such as those that change the text direction. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replace(/\p{Cf}/gu, '');
}

function cleanBlock(block: Block): Block {
  switch (block.kind) {
    case 'paragraph':
    case 'note':
      return { ...block, text: oneLine(block.text) };
    case 'lines':
      return { ...block, texts: block.texts.map(oneLine) };
    case 'facts':
      return {
        ...block,
        facts: block.facts.map(({ label, value }) => ({ label: oneLine(label), value: oneLine(value) })),
      };
    case 'button':
      return { ...block, ...cleanLink(block) };
    case 'links':
      return { ...block, links: block.links.map(cleanLink) };
    case 'code':
      return { ...block, label: oneLine(block.label), code: oneLine(block.code) };
  }
}

function cleanLink({ label, link }: MailLink): MailLink {
  return { label: oneLine(label), link: webAddress(link) };
}

/** Canonical form of a link: characters with a meaning in markup, and line breaks, are percent-encoded. */
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
    case 'lines':
      return block.texts.join('\n');
    case 'facts':
      return block.facts.map(({ label, value }) => `${label}: ${value}`).join('\n');
    case 'button':
      return `${block.label}:\n${block.link}`;
    case 'links':
      return block.links.map(({ label, link }) => `${label}:\n${link}`).join('\n\n');
    case 'code':
      return `${block.label}\n${block.code}`;
  }
}
