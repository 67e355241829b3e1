import { describe, expect, test } from 'vitest';
import { gcHere } from '../cli/run-here.ts';

/**
 * What people see, whole: every question to a few clusters that each tell one story
 * (test/fixtures/clusters), in every format for reading. `npm run update` rewrites the expected files.
 */
const stories: Readonly<Record<string, readonly string[]>> = {
  'orphaned-replicaset': [
    'owners pod/web-6c4f9d-abcde -n shop',
    'tree replicaset/web-6c4f9d -n shop',
    'orphans -A',
    'invalid-ownerrefs -A',
    'snapshot info',
  ],
  'cross-namespace-secret': [
    'owners secret/tls -n shop',
    'tree deployment/issuer -n platform',
    'orphans -A',
    'invalid-ownerrefs -A',
  ],
  'ring-of-configmaps': [
    'owners configmap/score -n games',
    'tree configmap/rock configmap/mirror -n games',
    'invalid-ownerrefs -n games',
  ],
  'restored-from-backup': [
    'owners configmap/db-config pvc/data-db-0 -n payments',
    'tree statefulset/db -n payments',
    'orphans -n payments',
    'invalid-ownerrefs -n payments',
  ],
  'foreground-deletion': [
    'owners pod/search-7d9-x2x4z -n shop',
    'tree deployment/search -n shop',
    'orphans -A',
  ],
  'tenant-operator': [
    'owners clusterrole/acme-admin',
    'owners configmap/settings -n acme-prod',
    'tree tenant/acme',
    'orphans -A',
    'invalid-ownerrefs -A',
    'snapshot info',
  ],
  'pods-only': [
    'owners pod/web-6c4f9d-abcde -n shop',
    'tree pod/debug pod/web-6c4f9d-abcde -n shop',
    'orphans -A',
    'orphans -A --complete',
    'orphans -A --unmanaged',
    'invalid-ownerrefs -A',
  ],
};

const drawn = ['table', 'wide', 'name', 'tree', 'dot', 'mermaid'];
const listed = ['table', 'wide', 'name'];

describe.each(Object.entries(stories))('%s', (cluster, questions) => {
  test.each(questions)('%s', async (question) => {
    const isGraph = /^(owners|tree) /.test(question);
    const formats = isGraph ? drawn : listed;
    const steps: string[] = [];
    for (const format of formats) {
      const line = `${question} -o ${format} --from test/fixtures/clusters/${cluster}.yaml --now 2026-01-31T12:00:00Z`;
      const { code, stdout, stderr } = await gcHere(line);
      expect(code, stderr).toBe(0);
      steps.push(`$ kubectl gc ${question} -o ${format}\n${stdout}${remarks(stderr)}`);
    }
    const file = question.replaceAll(/[^A-Za-z0-9]+/g, '-');
    await expect(steps.join('\n')).toMatchFileSnapshot(
      `../fixtures/expected/${cluster}/${file}.txt`,
    );
  });
});

function remarks(stderr: string): string {
  return stderr.replaceAll(/^/gm, '# ').replace(/# $/, '');
}
