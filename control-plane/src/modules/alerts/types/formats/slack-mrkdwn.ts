import { withoutMentions } from './mentions.js';

/**
 * Text for `mrkdwn` of Slack, where only `&`, `<` and `>` can be escaped
 * (https://docs.slack.dev/messaging/formatting-message-text). Mattermost and Rocket.Chat read the same text as
 * Markdown. Signs that both take for markup are replaced by signs that look alike.
 */
export function slackMrkdwn(text: string): string {
  return withoutMentions(text)
    .replace(/[*`~]/g, (sign) => lookAlikes[sign] ?? sign)
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '＿')
    .replace(/\[/g, '［')
    .replace(/\]/g, '］')
    .replace(/^(?= *(?:[#>|=+-]|\d+[.)]))/gmu, '\u00b7 ')
    .replace(/\\/g, '＼')
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;');
}

/** Text of a `plain_text` object, which has no markup but the three entities. */
export function slackPlainText(text: string): string {
  return withoutMentions(text).replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}

/** A link with a label: our own text and address. */
export function slackLink(label: string, url: string): string {
  const address = url.replace(/[<>|\s]/g, (sign) => encodeURIComponent(sign)).replace(/&/g, '&amp;');
  return `<${address}|${slackMrkdwn(label).replace(/\|/g, '/')}>`;
}

const lookAlikes: Readonly<Record<string, string>> = { '*': '∗', '`': 'ˋ', '~': '∼' };
