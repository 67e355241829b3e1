/** The word that asks for completions of the words behind it, as with programs that cobra makes. */
export const completionRequest = '__complete';
