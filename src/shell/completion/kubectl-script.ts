/** The word that asks for completions of the words behind it, as with programs that cobra makes. */
export const completionRequest = '__complete';

/** The program `kubectl_complete-gc`, which kubectl asks about `kubectl gc`. */
export const kubectlScript = `#!/bin/sh
# kubectl runs this file, kubectl_complete-gc, for kubectl gc and the Tab key.
exec kubectl-gc ${completionRequest} "$@"
`;
