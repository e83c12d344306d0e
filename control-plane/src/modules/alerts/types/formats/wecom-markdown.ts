import { chatMarkdown, markdownLink } from './chat-markdown.js';

/** Text for messages of type `markdown` of WeCom (https://developer.work.weixin.qq.com/document/path/91770), where `<@name>` is a mention. */
export const wecomMarkdown = chatMarkdown;

/** A link with a label. */
export const wecomLink = markdownLink;

/** One of the three colours that WeCom knows. `text` is escaped already. */
export function wecomColoured(text: string, colour: 'info' | 'comment' | 'warning'): string {
  return `<font color="${colour}">${text}</font>`;
}
