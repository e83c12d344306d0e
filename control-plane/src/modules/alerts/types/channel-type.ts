import type { FieldError } from '@vantage/shared/validation.js';
import type { Static, TObject } from 'typebox';
import type { OutboundRequest, OutboundResponse } from '../../../deliver/index.js';
import type { Locale } from '../../../http/locale.js';
import type { DirectMail } from '../../../mail/index.js';
import type { Message } from './message.js';

/** Attempt at one delivery, for one recipient where the type has recipients. */
export interface Attempt<C = unknown> {
  readonly message: Message;
  /** Configuration of the channel, secrets included. */
  readonly config: C;
  /** One of `recipients(config)`; null for types without recipients. */
  readonly recipient: string | null;
  readonly locale: Locale;
  /** Wall clock at this attempt; signatures use it. */
  readonly nowMs: number;
  /** Id that the vendor gave the first message of the thread on this channel; null if there was none. */
  readonly firstProviderId: string | null;
  /** Sends one request through the outbound client; deadline, cap and masking are the sender's. @throws OutboundError */
  send(request: TypeRequest): Promise<OutboundResponse>;
  /** Hands a mail to the transport. @returns its Message-ID @throws MailRefusal; any other error is worth another attempt */
  mail?(mail: Omit<DirectMail, 'key' | 'queuedAtMs' | 'to' | 'locale'>): Promise<string>;
  /** Page on which the recipient unsubscribes from the channel, and which a one-click POST goes to. */
  readonly unsubscribeUrl?: string;
  /** Page on which the recipient stops the messages about the monitor of the message. */
  readonly stopUrl?: string;
}

/**
 * Request of a channel type. `secrets`: those that are no sealed value of `config`, which are masked too. `isExempt`: it
 * goes to an address that the operator configured.
 */
export type TypeRequest = Pick<OutboundRequest, 'method' | 'url' | 'headers' | 'body' | 'isExempt'> &
  Partial<Pick<OutboundRequest, 'secrets'>>;

/** Error in a configuration that its schema accepts. */
export interface ConfigProblem {
  /** Field of `config`, dotted. */
  readonly field: string;
  readonly code: FieldError['code'];
  readonly message: string;
}

/** Result of an attempt. */
export type Outcome<C = unknown> =
  /** `config`: fields that the vendor asked to change (an id of a chat that moved); stored. */
  | { readonly kind: 'accepted'; readonly providerId: string | null; readonly config?: Partial<C> }
  /**
   * Worth another attempt, after `retryAfterMs` at the earliest (by the schedule if null). `isOfVendor`: time that the vendor documents;
   * one that a response asks for is bounded.
   */
  | {
      readonly kind: 'retry';
      readonly error: string;
      readonly retryAfterMs: number | null;
      readonly isOfVendor?: true;
    }
  /** `message`: its form was refused, the plain form is tried at once; `recipient` and `channel`: permanent for these. */
  | { readonly kind: 'refused'; readonly of: 'message' | 'recipient' | 'channel'; readonly error: string };

/** Number of the plan that limits the messages of a type. */
export type PlanQuota = 'sms_per_month' | 'voice_per_month';

/** Rate at which a vendor takes messages; the smallest bucket decides. */
export interface Bucket {
  readonly count: number;
  readonly perMs: number;
  /** `credential`: shared by all channels with the same credential, those of other accounts included. */
  readonly of: 'channel' | 'credential' | 'recipient';
}

/** A type of alert channel: its configuration, how a message becomes requests, and how answers are read. */
export interface ChannelType<S extends TObject = TObject> {
  readonly name: string;
  /** Schema of `config` (TypeBox), with descriptions and examples; unknown fields are refused. */
  readonly config: S;
  /** Names of fields of `config` that are sealed and shown as asterisks. A field that is an object of strings is sealed by value. */
  readonly sealed: readonly (keyof Static<S> & string)[];
  /** Sealed fields that travel in requests: when the origin of `urls` changes, they must be sent again. */
  readonly bound?: readonly (keyof Static<S> & string)[];
  readonly buckets: readonly Bucket[];
  /** True if the vendor keeps an incident for each thread, which only a message of the same thread ends. */
  readonly keepsIncidents?: true;
  /** Number of the plan that its messages count toward; absent: none. */
  readonly quota?: PlanQuota;
  /** Text that identifies the credential, for `of: 'credential'`; it is hashed before it is stored. */
  credential(config: Static<S>): string;
  /** Addresses that each get a message of their own and are verified; absent: the type carries its own credential. */
  recipients?(config: Static<S>): readonly string[];
  /** Name of what receives the messages of a recipient, by which they are limited; absent: the recipient itself. */
  limitedBy?(recipient: string): string;
  /**
   * How recipients prove that they want messages; absent: the type has no recipients, or none that need to. `hasLink`: by a link
   * too, which a text message has no room for.
   */
  readonly verification?: { readonly digits: number; readonly lifeMs: number; readonly hasLink: boolean };
  /** Normalises and checks one recipient. @throws RangeError with the reason */
  parseRecipient?(text: string): string;
  /** Sealed fields that are created with the channel where `config` lacks them, shown once. */
  generate?(config: Static<S>): Readonly<Record<string, string>>;
  /** Setting that the type needs and the operator has not made, or null. */
  readonly missingSetting?: string | null;
  /** First error in a configuration that its schema cannot find, or null. Absent if there are no such errors. */
  problem?(config: Static<S>): ConfigProblem | null;
  /** Addresses it sends to, which the target policy judges when the configuration is written. */
  urls(config: Static<S>): readonly string[];
  /** Sends the message. `isPlain`: in the shortest form without markup, after its markup was refused. */
  deliver(attempt: Attempt<Static<S>>, isPlain: boolean): Promise<Outcome<Static<S>>>;
}

/** Types a channel type by its schema, for the registry. */
export function defineChannelType<S extends TObject>(type: ChannelType<S>): ChannelType {
  return type as unknown as ChannelType;
}
