import type { AnyRoute } from '../../http/route.js';
import {
  changeUser,
  deleteUser,
  endUserSessions,
  getUser,
  listUsers,
  resetUserFactors,
  restoreUser,
} from './routes/admin-users.js';
import { confirmSignIn } from './routes/confirm-sign-in.js';
import { changeEmail, confirmEmail } from './routes/email-change.js';
import { loginWithEmailCode, requestEmailCode } from './routes/email-codes.js';
import { finishExternalSignIn, startExternalSignIn, unlinkIdentity } from './routes/external-sign-in.js';
import { externalSignInPages } from './routes/external-sign-in-pages.js';
import { getLimits } from './routes/get-limits.js';
import { getSignInMethods } from './routes/get-sign-in-methods.js';
import { getJwks } from './routes/jwks.js';
import { login } from './routes/login.js';
import { confirmEmailPage, resetPasswordPage, verifyEmailPage } from './routes/mailed-pages.js';
import { confirmSignInPage, restoreAccountPage } from './routes/one-button-pages.js';
import { passkeyPages } from './routes/passkey-pages.js';
import {
  deletePasskey,
  getPasskeyLoginOptions,
  getPasskeyRegistrationOptions,
  loginWithPasskey,
  registerPasskey,
  renamePasskey,
} from './routes/passkeys.js';
import { changePassword, forgotPassword, resetPassword } from './routes/passwords.js';
import { changeProfile, deleteAccount, exportAccount, getProfile, restoreAccount } from './routes/profile.js';
import { qrPages } from './routes/qr-pages.js';
import { approveQr, lookAtQr, pollQr, startQr } from './routes/qr-sign-in.js';
import { refresh } from './routes/refresh.js';
import { register } from './routes/register.js';
import {
  disableTotp,
  enableTotp,
  getFactors,
  renewRecoveryCodes,
  setUpTotp,
  stepUp,
  verifySecondFactor,
} from './routes/second-factor.js';
import { changeSecurity, securityPage } from './routes/security-page.js';
import { endOtherSessions, endSession, listSessions, logout } from './routes/sessions.js';
import { signInPages, signOutPage } from './routes/sign-in-pages.js';
import { resendVerification, verifyEmail } from './routes/verify-email.js';

/** All operations on accounts and sign-in. */
export const accountRoutes: readonly AnyRoute[] = [
  register,
  login,
  confirmSignIn,
  refresh,
  logout,
  verifyEmail,
  resendVerification,
  forgotPassword,
  resetPassword,
  changePassword,
  getSignInMethods,
  requestEmailCode,
  loginWithEmailCode,
  startQr,
  pollQr,
  lookAtQr,
  approveQr,
  verifySecondFactor,
  stepUp,
  startExternalSignIn,
  finishExternalSignIn,
  setUpTotp,
  enableTotp,
  disableTotp,
  renewRecoveryCodes,
  getPasskeyRegistrationOptions,
  registerPasskey,
  getPasskeyLoginOptions,
  loginWithPasskey,
  getJwks,
  getProfile,
  changeProfile,
  deleteAccount,
  exportAccount,
  restoreAccount,
  changeEmail,
  confirmEmail,
  listSessions,
  endOtherSessions,
  endSession,
  getFactors,
  renamePasskey,
  deletePasskey,
  unlinkIdentity,
  getLimits,
  listUsers,
  getUser,
  changeUser,
  deleteUser,
  resetUserFactors,
  endUserSessions,
  restoreUser,
  verifyEmailPage,
  confirmEmailPage,
  resetPasswordPage,
  confirmSignInPage,
  restoreAccountPage,
  ...signInPages,
  ...passkeyPages,
  ...externalSignInPages,
  securityPage,
  changeSecurity,
  ...qrPages,
  signOutPage,
];
