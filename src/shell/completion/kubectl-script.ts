import { completionRequest } from './request.ts';

/** The program `kubectl_complete-gc`, which kubectl asks about `kubectl gc`. */
export const kubectlScript = `#!/bin/sh
# kubectl runs this file, kubectl_complete-gc, for kubectl gc and the Tab key.
exec kubectl-gc ${completionRequest} "$@"
`;
