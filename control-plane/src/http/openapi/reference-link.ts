/** Page of a group of operations: `Alert channels` is `/docs/alert-channels`. */
export function tagPath(tag: string): string {
  return `/docs/${tag.toLowerCase().replaceAll(' ', '-')}`;
}

/** Address of an operation in the reference, which stays as long as the operation does. */
export function referenceLink({ tag, operationId }: { readonly tag: string; readonly operationId: string }): string {
  return `${tagPath(tag)}#${operationId}`;
}
