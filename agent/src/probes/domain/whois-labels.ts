/** Words of labels of the end of a registration, in the languages of registries. */
const expiryWords =
  /expir|\bexp date|\bvalid(?:ity|ade)?\b(?:$| (?:until|till|to|thru|through|date|up to))|\bpaid (?:until|till|to|thru|through|up to)|billed ?until|^(?:domain |record |registration |next )?renew(?:al|s)?(?: date| on| by| due)?$|\bdue date|有効期限|到期|过期|만료|종료일|vencim|\bvence\b|caduc|fecha de corte|scaden|ablauf|gültig bis|échéance|оплачен|действителен|истекает/;
/** Words of labels that look like these, and are of something else. */
const otherEnds =
  /free|delet|redempt|\bhold|\boption|dnssec|\bds\b|signature|\bkey|certificate|\blast\b|grace|transfer|\block|password|status|privacy/;

/**
 * Rank of a label, as `fieldsOf` gives it, of the date on which a registration ends; best first: 0 is the registry's own
 * word, 2 the date of a registrar or reseller, which may be another one. Null for another label.
 */
export function expiryRank(label: string): 0 | 1 | 2 | null {
  if (!expiryWords.test(label) || otherEnds.test(label)) return null;
  if (/registrar|reseller/.test(label)) return 2;
  return /registry/.test(label) ? 0 : 1;
}

/** True for a label of the date on which a registration began. */
export function isCreatedLabel(label: string): boolean {
  const words =
    /\bcreat(?:ed|ion)|\bregistered\b|\bregist(?:ration|ry) (?:date|time)|\bcommence|\bactivated|登録年月日|등록일/;
  return words.test(label) && !/expir|valid|updat|until|\bby\b|registrar|option/.test(label);
}

/** True for a label of the date of the last change. */
export function isUpdatedLabel(label: string): boolean {
  return (
    /\bupdate|\bmodif|\bchanged\b|最終更新|최근 정보 변경일/.test(label) &&
    !/whois|database|rdap|lookup|transfer|\bby\b/.test(label)
  );
}
