import { fieldError } from '../../../http/errors.js';
import { MASK } from './settings.js';

/** Target for credentials that may not read monitors: paths and queries of URLs are masked, since they may contain secrets. */
export function maskedTarget(target: string): string {
  return target.replace(/^(https?:\/\/[^/?#]*)[/?#].+$/i, `$1/${MASK}`);
}

/** Checks that a target is not the output of `maskedTarget` sent back. @throws ApiError VALIDATION_FAILED */
export function refuseMaskedTarget(target: string): void {
  if (target.endsWith(`/${MASK}`)) throw fieldError('target', 'format', 'is masked: send it whole, or leave it out');
}
