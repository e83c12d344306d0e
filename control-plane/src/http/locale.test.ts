import t from 'tap';
import { negotiateLocale } from './locale.js';

const cases: readonly (readonly [header: string | undefined, locale: string])[] = [
  [undefined, 'en'],
  ['', 'en'],
  ['en-GB', 'en'],
  ['zh', 'zh-CN'],
  ['zh-CN', 'zh-CN'],
  ['zh-SG', 'zh-CN'],
  ['zh-Hans', 'zh-CN'],
  ['ZH-hans-hk', 'zh-CN'],
  ['zh-TW', 'zh-TW'],
  ['zh-HK', 'zh-TW'],
  ['zh-MO', 'zh-TW'],
  ['zh-Hant', 'zh-TW'],
  ['zh-Hant-CN', 'zh-TW'],
  ['fr', 'en'],
  ['*', 'en'],
  ['fr, zh-TW;q=0.5', 'zh-TW'],
  ['en;q=0.8, zh-CN;q=0.9', 'zh-CN'],
  ['en;q=0.9, zh-CN;q=0.9', 'en'],
  ['zh-CN;q=0, en;q=0.1', 'en'],
  ['zh-CN;q=0', 'en'],
  ['zh-TW ; q=0.7 , en ; q=0.2', 'zh-TW'],
  ['zh-CN;Q=1.000', 'zh-CN'],
  ['zh-CN;q=nonsense', 'en'],
  // RFC 9110 section 12.4.2 gives a weight above 1 no meaning: it is taken as it is
  ['zh-CN;q=2', 'zh-CN'],
  [';;;,,,q=1', 'en'],
  [`${'x,'.repeat(5000)}zh-CN`, 'en'],
];

t.test('a supported language is chosen by quality and order, with English as the fallback', async (t) => {
  for (const [header, locale] of cases) t.equal(negotiateLocale(header), locale, header?.slice(0, 40) ?? 'none');
});
