import type { Locale } from '../../../http/locale.js';
import { english } from './english.js';
import type { GuideText } from './guide-text.js';
import { simplifiedChinese } from './simplified-chinese.js';
import { traditionalChinese } from './traditional-chinese.js';

export const guideTexts: Readonly<Record<Locale, GuideText>> = {
  en: english,
  'zh-CN': simplifiedChinese,
  'zh-TW': traditionalChinese,
};
