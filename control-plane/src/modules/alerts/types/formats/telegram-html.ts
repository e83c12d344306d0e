import { withoutMentions } from './mentions.js';

/** Text for `parse_mode: HTML` of Telegram (https://core.telegram.org/bots/api#html-style). */
export function telegramHtml(text: string): string {
  // a slash before a word is a command and a hash sign is a search: neither harms, and targets have both
  return escapeHtml(withoutMentions(text));
}

export function telegramLink(label: string, url: string): string {
  return `<a href="${escapeHtml(url)}">${telegramHtml(label)}</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;').replace(/"/g, '&quot;');
}
