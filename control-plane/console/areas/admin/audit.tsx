import { useAddressState } from '../../ui/address.js';
import { AuditLog } from '../../ui/audit-log.js';
import { Part } from './part.js';
import { adminTexts } from './texts.js';

/** The audit log of the installation, of one account, or of one node. */
export function AuditView() {
  const text = adminTexts();
  const [{ account_id, node }, setState] = useAddressState({ account_id: '', node: '' });
  return (
    <Part name="audit">
      {account_id !== '' && (
        <p>
          <button type="button" class="quiet" onClick={() => setState({ account_id: '' })}>
            {text.account}: {account_id} ✕
          </button>
        </p>
      )}
      {node !== '' && (
        <p>
          <button type="button" class="quiet" onClick={() => setState({ node: '' })}>
            {text.node}: {node} ✕
          </button>
        </p>
      )}
      {node === '' ? (
        <AuditLog path="/v1/admin/audit" query={{ account_id }} isAdmin />
      ) : (
        <AuditLog path={`/v1/admin/nodes/${encodeURIComponent(node)}/audit`} isAdmin />
      )}
    </Part>
  );
}
