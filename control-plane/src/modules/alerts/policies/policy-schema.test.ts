import type { ChannelChoice, Escalation, OnRecovery, Rule, Suppression } from '@vantage/shared/alerts/policy.js';
import t from 'tap';
import { type Static, Type } from 'typebox';
import { partsWith, type TypedChoice } from './policy-schema.js';

const Choice = Type.Object({ channel_id: Type.String(), to: Type.Union([Type.Array(Type.String()), Type.Null()]) });
const parts = partsWith(Choice);

type Frozen<T> = T extends readonly (infer E)[]
  ? readonly Frozen<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Frozen<T[K]> }
    : T;
type Same<A, B> = [Frozen<A>, Frozen<B>] extends [Frozen<B>, Frozen<A>] ? true : false;

t.test('the schemas of policies and the shapes that the engine reads are the same', async (t) => {
  // a difference does not compile
  const same: readonly [
    Same<Static<typeof parts.Rule>, Rule>,
    Same<Static<typeof parts.Escalation>, Escalation>,
    Same<Static<typeof parts.OnRecovery>, OnRecovery>,
    Same<Static<typeof parts.Suppression>, Suppression>,
    Same<Omit<TypedChoice, 'type'>, ChannelChoice>,
  ] = [true, true, true, true, true];
  t.notOk((same as readonly boolean[]).includes(false));
});
