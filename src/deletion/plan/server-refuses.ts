/** What a plan says before the words of the API server. */
export const serverRefuses = 'the API server refuses this';
