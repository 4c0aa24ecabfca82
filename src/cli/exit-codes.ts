/** What a command that examines something exits with: all is well, something is wrong, or it could not find out. */
export const exitCodes = { right: 0, wrong: 1, cannotRun: 2 } as const;
