export { type Owner, type OwnerKind, ofOwner, ownedBy, ownedColumns, ownerIsAdmin, personalOwner } from './owner.js';
export { type LockedOwner, lockOwner, updatePlan } from './owner-store.js';
export {
  type Export,
  MAX_EXPORTED,
  type Release,
  type Revocation,
  type Revoke,
  revokeBy,
  type Suspension,
} from './release.js';
