/** Lines outside of fenced blocks, by the rule of CommonMark: a block ends with a fence that is at least as long as the first. */
export function withoutFences(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .filter((line) => {
      const [run = ''] = /^`{3,}/.exec(line) ?? [];
      if (fence === '' && run !== '') {
        fence = run;
        return false;
      }
      if (fence !== '' && line === fence) {
        fence = '';
        return false;
      }
      return fence === '';
    })
    .join('\n');
}
