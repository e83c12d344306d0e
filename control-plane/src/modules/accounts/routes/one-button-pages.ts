import { Type } from 'typebox';
import type { Locale } from '../../../http/locale.js';
import { html } from '../../../http/pages/html.js';
import { renderPage } from '../../../http/pages/page.js';
import { defineRoute } from '../../../http/route.js';
import { pageTexts } from '../profile/page-texts.js';
import { outcome, script } from './mailed-pages.js';

/** Texts of a page with one button. */
interface Texts {
  readonly title: string;
  readonly ask: string;
  readonly otherwise: string;
  readonly button: string;
}

/** Page that a mail links to, whose button uses the token at an operation. */
function oneButtonPage<const P extends string>(page: {
  readonly path: P;
  readonly operationId: string;
  readonly action: string;
  readonly texts: Readonly<Record<Locale, Texts>>;
}) {
  const { path, operationId, action, texts } = page;
  return defineRoute({
    method: 'GET',
    path,
    operationId,
    summary: texts.en.title,
    tag: 'Pages',
    auth: { kind: 'none' },
    replies: { 200: Type.String() },
    replyKind: 'html',
    errors: [],
    isDocumented: false,
    async handle(request) {
      const { locale } = request;
      const { noToken, failed, needsScript } = pageTexts[locale];
      const { title, ask, button, otherwise } = texts[locale];
      const content = html`
<h1>${title}</h1>
<noscript><p class="bad">${needsScript}</p></noscript>
<div id="ask" data-action="${action}" data-no-token="${noToken}" data-failed="${failed}">
<form>
<p>${ask}</p>
<p>${otherwise}</p>
<p><button>${button}</button></p>
</form>
</div>
${outcome(locale)}`;
      return renderPage(request, { title, content, script });
    },
  });
}

/** GET /confirm-sign-in: target of the link in the mail. */
export const confirmSignInPage = oneButtonPage({
  path: '/confirm-sign-in',
  operationId: 'getConfirmSignInPage',
  action: '/v1/auth/login/confirm',
  texts: {
    en: {
      title: 'Confirm that you are signing in',
      ask: 'Press the button if you entered the password. The network that it came from may then sign in for a day.',
      button: 'Confirm that it was me',
      otherwise: 'If this was not you, close this page and set a new password: someone knows yours.',
    },
    'zh-CN': {
      title: '确认是您本人登录',
      ask: '如果密码是您本人输入的，请点击按钮。此后一天内，该网络可以登录您的账户。',
      button: '确认是我本人',
      otherwise: '如果不是您本人操作，请关闭此页面并设置新密码：有人知道您的密码。',
    },
    'zh-TW': {
      title: '確認是您本人登入',
      ask: '若密碼是您本人輸入的，請按下按鈕。此後一天內，該網路可以登入您的帳戶。',
      button: '確認是我本人',
      otherwise: '若不是您本人操作，請關閉此頁面並設定新密碼：有人知道您的密碼。',
    },
  },
});

/** GET /restore-account: target of the link in the mail. */
export const restoreAccountPage = oneButtonPage({
  path: '/restore-account',
  operationId: 'getRestoreAccountPage',
  action: '/v1/auth/restore',
  texts: {
    en: {
      title: 'Restore your account',
      ask: 'Monitors, nodes, keys and tokens work again as before. You then sign in again.',
      button: 'Restore my account',
      otherwise: 'If you want the account to be erased, close this page: nothing else is to be done.',
    },
    'zh-CN': {
      title: '恢复您的账户',
      ask: '监控、节点、密钥和令牌将恢复如初。之后请重新登录。',
      button: '恢复我的账户',
      otherwise: '如果您希望清除账户，关闭此页面即可，无需其他操作。',
    },
    'zh-TW': {
      title: '還原您的帳戶',
      ask: '監控、節點、金鑰與權杖將恢復如初。之後請重新登入。',
      button: '還原我的帳戶',
      otherwise: '若您希望清除帳戶，關閉此頁面即可，不需其他操作。',
    },
  },
});
