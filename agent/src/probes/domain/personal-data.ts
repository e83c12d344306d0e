/** Contact as far as it decides what of it may be shown. */
export interface Contact {
  /** `org`, `group`, `individual` or another kind of RFC 6350; null if it is not stated. */
  readonly kind: string | null;
  readonly fullName: string | null;
  readonly organization: string | null;
}

/** Texts that registries write in place of data that they withhold. */
const withheld =
  /redacted|not disclosed|non-public|data protected|masked|masking|statutory|privacy|private person|withheld|gdpr|^n\/?a$|^none$|^[-.*x_]+$/i;
/** Services that hold domains for others are organisations: their names have a legal form. */
const legalForm = /\b(?:llc|ltd|limited|inc|gmbh|ehf|b\.v\.)(?:\W|$)/i;

/** Mailboxes of roles (RFC 2142 and the usage of registrars); one without such a word may be that of a person. */
const roleWord = /abuse|hostmaster|postmaster|webmaster|registrar|compliance|complaint|security|support/i;
const roleName =
  /(?:^|[^a-z])(?:noc|cert|csirt|soc|legal|trust|domains?|reports?|contact|info|admin|help|services?|network|peering|ipadmin|ip|dns|tech|ops|office)(?:[^a-z]|$)/i;

/**
 * Organisation of a contact; null for a person. Holders who are persons often write their own name as the organisation.
 */
export function organizationOf({ kind, fullName, organization }: Contact): string | null {
  if (kind === 'org' || kind === 'group') return shown(organization ?? fullName);
  const isOwnName = organization?.toLowerCase() === fullName?.toLowerCase();
  return isOwnName ? null : shown(organization);
}

/** Mail address of a contact for abuse; null where it may be that of a person, or is no address. */
export function roleEmail({ kind }: Contact, email: string | null): string | null {
  const [, mailbox = ''] = /^([^\s@<>"',;:]{1,64})@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+$/i.exec(email ?? '') ?? [];
  if (mailbox === '' || withheld.test(mailbox)) return null;
  return kind === 'org' || kind === 'group' || roleWord.test(mailbox) || roleName.test(mailbox) ? email : null;
}

/** Telephone number in digits, with its country and without the scheme of a URI; null for anything else. */
export function phoneNumber(value: string | null): string | null {
  const number = (value ?? '').trim().replace(/^tel:/i, '');
  return /^\+?[0-9][0-9 ().-]{4,30}(?:(?:;ext=|x)\d{1,8})?$/i.test(number) ? number : null;
}

function shown(name: string | null): string | null {
  return name === null || (withheld.test(name) && !legalForm.test(name)) ? null : name;
}
