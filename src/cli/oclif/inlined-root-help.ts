/** What help without a command says. The build replaces this module by the text, so that nothing is loaded for it. */
export const rootHelp: string | undefined = undefined;
