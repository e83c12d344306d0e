import { rounds } from '@vantage/shared/_support/rounds.js';
import fc from 'fast-check';
import t from 'tap';
import { manyLines, oneLine } from './characters.js';
import { chatMarkdown, markdownLink } from './chat-markdown.js';
import { larkMarkdown } from './lark-markdown.js';
import { withoutMentions } from './mentions.js';
import { plainText } from './plain-text.js';
import { slackLink, slackMrkdwn, slackPlainText } from './slack-mrkdwn.js';
import { smsText } from './sms-text.js';
import { escapeXml } from './speech.js';
import { telegramHtml, telegramLink } from './telegram-html.js';

// Each format against the grammar of its vendor, as these read it. Texts are those of strangers after `oneLine` or
// `manyLines`, made mostly of what grammars are made of.

const pieces = [
  ...'<>&*_~`[]()#!|@:;+-=."\'\\/{}$^\n ',
  'a',
  'Z9',
  '中',
  'é',
  '👩‍👧',
  '<!channel>',
  '<!subteam^S1>',
  '<@U1>',
  '@all',
  '@here',
  'a@b.example',
  '<at user_id="all">',
  '</at>',
  '<at id=all></at>',
  '<@all>',
  '<b>',
  '</b>',
  '<font color="info">',
  '&lt;',
  '&#60;',
  '[x](https://evil.example)',
  '![x](y)',
  '\n# ',
  '\n> ',
  '\n- ',
  '\n1. ',
  '\n---',
  '**',
  '```',
  '\u202e',
  '\u2066',
  '\u0000',
  '\u001b[1m',
  '\r\n',
  '\u2028',
  '\ud800',
];
const strangers = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((found) => found.join('')),
  fc.string({ unit: 'binary', maxLength: 60 }),
);
const lines = strangers.map(manyLines);

/** A mention as Telegram, Slack's kin, DingTalk and WeCom read one. */
const MENTION = /(?<![A-Za-z0-9])@|@(?![A-Za-z0-9])/;
/** A line that Markdown reads as a heading, a quotation, a list or a rule. */
const BLOCK = /^ *(?:[#>+=-]|\d+[.)]\s)/mu;

function always(name: string, property: (text: string) => boolean, texts = lines): void {
  t.test(name, async (t) => {
    t.doesNotThrow(() => fc.assert(fc.property(texts, property), { numRuns: rounds(2_000) }));
  });
}

always(
  'a line of a stranger has no control or bidirectional characters, no line break and no half characters',
  (text) => !/[\p{Cc}\p{Surrogate}\u061c\u200e\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/u.test(oneLine(text)),
  strangers,
);
always(
  'lines of a stranger keep nothing but line feeds',
  (text) => !/(?!\n)\p{Cc}|\p{Surrogate}/u.test(manyLines(text)),
  strangers,
);
always('no text mentions anyone', (text) => !MENTION.test(withoutMentions(text)));
always('plain text has no tag', (text) => !/<[a-z!@/#?]/i.test(plainText(text)) && !MENTION.test(plainText(text)));

always('Slack: no link, mention or entity of its own, in mrkdwn and in plain text', (text) =>
  [slackMrkdwn(text), slackPlainText(text)].every(
    (shown) => !/[<>]|&(?!(?:amp|lt|gt);)/.test(shown) && !MENTION.test(shown),
  ),
);
always('Slack: neither Slack nor Mattermost reads formatting', (text) => {
  const shown = slackMrkdwn(text);
  return !/[*`~[\]\\]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u.test(shown) && !BLOCK.test(shown);
});
always(
  'Slack: plain text reads as it was written, but for mentions',
  (text) => decoded(slackPlainText(text)) === withoutMentions(text),
);
always('Slack: a label does not leave its link', (text) =>
  /^<https:\/\/a\.example\/\?b=1&amp;c\|[^<>|]*>$/.test(slackLink(oneLine(text), 'https://a.example/?b=1&c')),
);

always('Telegram: no tag, and the text reads as it was written, but for mentions', (text) => {
  const shown = telegramHtml(text);
  return (
    !/[<>"]|&(?!(?:amp|lt|gt|quot);)/.test(shown) && decoded(shown) === withoutMentions(text) && !MENTION.test(shown)
  );
});
always('Telegram: a label does not leave its link', (text) =>
  /^<a href="https:\/\/a\.example\/\?b=&quot;">[^<>"]*<\/a>$/.test(telegramLink(text, 'https://a.example/?b="')),
);

always('WeCom and DingTalk: no markup, tag, entity or mention', (text) => {
  const shown = chatMarkdown(text);
  const isInline = /[*`~<>[\]\\|]|&#?\w+;|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/u.test(shown);
  return !isInline && !BLOCK.test(shown) && !MENTION.test(shown);
});
always('WeCom and DingTalk: a label does not leave its link', (text) =>
  /^\[[^[\]]*\]\(https:\/\/a\.example\/%28b%29\)$/.test(markdownLink(oneLine(text), 'https://a.example/(b)')),
);

always('Feishu: no markup or tag, and the text reads as it was written, but for mentions', (text) => {
  const shown = larkMarkdown(text);
  const isMarkup = /[<>*_~`[\]()!\\|"']|#(?!\d+;)|&(?!#\d+;)/.test(shown.replace(/&#\d+;/g, ''));
  return !isMarkup && !BLOCK.test(shown) && decoded(shown) === withoutMentions(text);
});

always('speech: no element, and the words are those that were written', (text) => {
  const shown = escapeXml(text);
  return (
    !/[<>"']|&(?!(?:amp|lt|gt|quot|apos);)/.test(shown) && decoded(shown) === text.replace(/[\ufffe\uffff]/g, '\ufffd')
  );
});

t.test('typographic signs of a text message are written in the alphabet of GSM', async (t) => {
  t.equal(smsText('“Shop” – it’s down… • now'), '"Shop" - it\'s down... - now');
});

t.test('an e-mail address stays one', async (t) => {
  t.equal(withoutMentions('ops@shop.example, @ops, x.@all 请@all'), 'ops@shop.example, ＠ops, x.＠all 请＠all');
});

/** Text as a reader decodes it. */
function decoded(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  return text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code: string | undefined, name: string) =>
    code === undefined ? (names[name] ?? entity) : String.fromCharCode(Number(code)),
  );
}
