import { withoutMentions } from './mentions.js';

/**
 * Text for a format that has no markup. Some vendors read tags of mentions all the same (`<at user_id="all">`,
 * `<!channel>`, `<@name>`): their brackets become full-width.
 */
export function plainText(text: string): string {
  return withoutMentions(text).replace(/<(?=[^\s<>\d=-])/gu, '＜');
}
