import type { Locale } from '../../../http/locale.js';

/** Texts about passkeys on pages. */
const en = {
  title: 'Sign in with a passkey',
  ask: 'Your browser or phone asks for your fingerprint, your face or its PIN.',
  use: 'Use a passkey',
  add: 'Add a passkey',
  addAsk: 'Give it a name by which you know it again, such as that of the device.',
  name: 'Name',
  remove: 'Remove',
  confirm: 'Confirm by a passkey',
  failed: 'The browser gave no passkey. Try again, or choose another way.',
  missing: 'This browser knows no passkeys. Choose another way.',
  needsScript: 'Passkeys need JavaScript.',
};

export type PasskeyTexts = typeof en;

export const passkeyTexts: Readonly<Record<Locale, PasskeyTexts>> = {
  en,
  'zh-CN': {
    title: '使用通行密钥登录',
    ask: '您的浏览器或手机会要求您提供指纹、面部识别或 PIN。',
    use: '使用通行密钥',
    add: '添加通行密钥',
    addAsk: '请为它取一个便于识别的名称，例如设备名称。',
    name: '名称',
    remove: '移除',
    confirm: '使用通行密钥确认',
    failed: '浏览器没有提供通行密钥。请重试，或选择其他方式。',
    missing: '此浏览器不支持通行密钥，请选择其他方式。',
    needsScript: '通行密钥需要 JavaScript。',
  },
  'zh-TW': {
    title: '使用通行金鑰登入',
    ask: '您的瀏覽器或手機會要求您提供指紋、臉部辨識或 PIN。',
    use: '使用通行金鑰',
    add: '新增通行金鑰',
    addAsk: '請為它取一個便於辨識的名稱，例如裝置名稱。',
    name: '名稱',
    remove: '移除',
    confirm: '使用通行金鑰確認',
    failed: '瀏覽器沒有提供通行金鑰。請重試，或選擇其他方式。',
    missing: '此瀏覽器不支援通行金鑰，請選擇其他方式。',
    needsScript: '通行金鑰需要 JavaScript。',
  },
};
