/** The commit that the program was built from; the build replaces this module. */
export const commit: string | undefined = undefined;
