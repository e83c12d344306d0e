import { withoutMentions } from './mentions.js';

/**
 * Text for the Markdown of WeCom and DingTalk, neither of which has an escape: signs of markup become full-width, as
 * they are written in Chinese text. An entity is broken too, since a reader may decode it to a sign.
 */
export function chatMarkdown(text: string): string {
  return withoutMentions(text)
    .replace(/[*`~<>[\]\\|]/g, (sign) => fullWidth(sign))
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿')
    .replace(/&(?=#?\w+;)/g, '＆')
    .replace(/^( *)([#>=+-])/gmu, (_line, space: string, sign: string) => `${space}${fullWidth(sign)}`)
    .replace(/^( *\d+)([.)])(?=\s)/gmu, (_line, number: string, sign: string) => `${number}${fullWidth(sign)}`);
}

/** A link with a label: our own text and address. */
export function markdownLink(label: string, url: string): string {
  return `[${chatMarkdown(label)}](${url.replace(/[()\s<>]/g, percentEncoded)})`;
}

/** Full-width forms stand 0xFEE0 above those of ASCII. */
function fullWidth(sign: string): string {
  return String.fromCharCode(sign.charCodeAt(0) + 0xfee0);
}

function percentEncoded(sign: string): string {
  return `%${sign.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
