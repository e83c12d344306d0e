import { chatMarkdown, markdownLink } from './chat-markdown.js';

/**
 * Text for messages of type `markdown` of DingTalk (https://open.dingtalk.com/document/orgapp/custom-robot-access). A
 * mention is the sign and a number that `at` names too, so that text alone mentions no one.
 */
export const dingtalkMarkdown = chatMarkdown;

/** A link with a label. */
export const dingtalkLink = markdownLink;
