/** Test files that may take more CPU time than others, with the reason why that cannot be less. */
export const slowFileReasons: ReadonlyMap<string, string> = new Map([
  [
    'control-plane/test/serve.spawn.test.ts',
    'what it promises is about the program itself: each test starts one or two',
  ],
]);
