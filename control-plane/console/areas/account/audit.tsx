import { AuditLog } from '../../ui/audit-log.js';
import { Part } from './part.js';

/** Security-relevant acts on the account. */
export function AuditView() {
  return (
    <Part name="audit">
      <AuditLog path="/v1/account/audit" isAdmin={false} />
    </Part>
  );
}
