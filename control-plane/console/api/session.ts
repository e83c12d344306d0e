import { signal } from '@preact/signals';
import type { Static } from 'typebox';
import type { ConsoleTokenSchema } from '../../src/modules/console/schema.js';
import { locale } from '../texts/locale.js';
import { Failure, failureOf, NO_ANSWER } from './failure.js';

type ConsoleToken = Static<typeof ConsoleTokenSchema>;

/** The person who is signed in. */
export type Person = ConsoleToken['user'] & Pick<ConsoleToken, 'role'>;

/** Undefined until the first answer, null if nobody is signed in. */
export const person = signal<Person | null | undefined>(undefined);

/** True while an action waits for the person to sign in again. */
export const isSignInNeeded = signal(false);

/** The access token stays in this variable: no storage, address or element of the page ever has it. */
let token: { readonly value: string; readonly endsAt: number } | null = null;
let renewal: Promise<string | null> | null = null;

/** Tabs of this browser tell each other that somebody signed out. */
const tabs = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel('vantage-session');
tabs?.addEventListener('message', () => location.reload());

/** Renewed this long before its end, in milliseconds. */
const MARGIN_MS = 60_000;

/** Access token; null if nobody is signed in. `isRefused`: the API refused the one that we have. @throws Failure */
export function accessToken(isRefused = false): Promise<string | null> {
  if (isRefused) token = null;
  else if (person.value === null) return Promise.resolve(null);
  if (token !== null && token.endsAt - MARGIN_MS > Date.now()) return Promise.resolve(token.value);
  renewal ??= renew().finally(() => {
    renewal = null;
  });
  return renewal;
}

async function renew(): Promise<string | null> {
  const response = await ask('/session/token');
  if (response.status === 401 || response.status === 403) {
    token = null;
    // a person who was signed in stays on the page, with a way to sign in again
    if (person.value === undefined) person.value = null;
    else if (person.value !== null) isSignInNeeded.value = true;
    return null;
  }
  if (!response.ok) throw await failureOf(response);
  const { data } = (await response.json()) as { data: ConsoleToken };
  if (person.value && person.value.id !== data.user.id) {
    // somebody else signed in: nothing on this page is theirs
    location.reload();
    return new Promise(() => {});
  }
  token = { value: data.access_token, endsAt: Date.now() + data.expires_in * 1_000 };
  person.value = { ...data.user, role: data.role };
  isSignInNeeded.value = false;
  return token.value;
}

/** Signs this browser out, in all its tabs. @throws Failure */
export async function signOut(): Promise<void> {
  const response = await ask('/session/end');
  if (!response.ok && response.status !== 401) throw await failureOf(response);
  token = null;
  sessionStorage.clear();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin alone
  tabs?.postMessage('signed out');
  location.assign('/sign-in');
}

/** Address of the sign-in that leads back to where the person is. */
export function signInAddress(): string {
  return `/sign-in?next=${encodeURIComponent(location.pathname + location.search)}&lang=${locale.value}`;
}

async function ask(path: string): Promise<Response> {
  const headers = { 'X-Vantage-Console': '1', 'Accept-Language': locale.value };
  try {
    return await fetch(path, { method: 'POST', headers, cache: 'no-store' });
  } catch {
    throw new Failure({ code: NO_ANSWER });
  }
}

// the person may have signed in again in another tab
addEventListener('focus', () => {
  if (isSignInNeeded.value) void accessToken(true).catch(() => null);
});
