import { withoutMentions } from './mentions.js';

/**
 * Text for `lark_md` of cards of Feishu and Lark, where signs of markup are written as numeric entities
 * (https://open.feishu.cn/document/feishu-cards/card-components/content-components/rich-text).
 */
export function larkMarkdown(text: string): string {
  return withoutMentions(text)
    .replace(/[&<>*_~`[\]()#!\\|"']/g, entity)
    .replace(/^( *)([+=-])/gmu, (_line, space: string, sign: string) => `${space}${entity(sign)}`)
    .replace(/^( *\d+)([.)])/gmu, (_line, number: string, sign: string) => `${number}${entity(sign)}`)
    .replace(/:(?=[A-Za-z0-9_]+:)/g, entity);
}

function entity(sign: string): string {
  return `&#${sign.charCodeAt(0)};`;
}
