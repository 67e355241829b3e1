import { expect, test } from 'vitest';
import { gcHere } from '../support/run-here.ts';

/**
 * Questions that people asked in public threads, each put to the command that one would try first, stand in
 * test/fixtures/transcripts/questions.txt. Elsewhere are those that need a release of Helm or a cluster: what `helm
 * uninstall` deletes, and a Secret that cannot be decrypted. Which ConfigMaps of old generations are unused is not
 * known. Help answers these.
 */
test.each([
  [
    '31 agents delete only planned objects (kubernetes-mcp-server#407)',
    'mcp --help --all',
    /It only reads[\s\S]*performs\s+a\s+plan\s+that\s+was\s+shown/,
  ],
  [
    '33 envtest does not cascade (controller-runtime#626)',
    'help run-controllers',
    /^Run the garbage collector in envtest/,
  ],
])('%s', async (_, ask, answer) => {
  expect((await gcHere(ask)).stdout).toMatch(answer);
});
