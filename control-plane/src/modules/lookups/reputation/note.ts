import type { Locale } from '../../../http/locale.js';
import type { Signal } from './signals.js';

const notes: Readonly<Record<Locale, (missing: string) => string>> = {
  en: (missing) => `Nothing was found, but no current list exists for: ${missing}. The address is unknown, not clean.`,
  'zh-CN': (missing) => `未发现记录，但以下信号没有可用的最新列表：${missing}。该地址状态未知，并不代表安全。`,
  'zh-TW': (missing) => `未發現記錄，但以下訊號沒有可用的最新清單：${missing}。該位址狀態未知，並不代表安全。`,
};

/** Sentence about signals without a current list where nothing was found; null if there are none. */
export function noteOf(unknown: readonly Signal[], locale: Locale): string | null {
  return unknown.length === 0 ? null : notes[locale](unknown.join(', '));
}
