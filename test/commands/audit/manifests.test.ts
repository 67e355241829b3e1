import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { gcHere } from '../../support/run-here.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** What Helm and kustomize render: objects without uids, some without a namespace. */
const folder = temporaryFolder();
const file = join(folder, 'rendered.yaml');
beforeAll(() => writeFileSync(file, rendered));

const rendered = `apiVersion: v1
kind: ConfigMap
metadata:
  name: web-flags
  namespace: shop
  ownerReferences:
  - {apiVersion: apps/v1, kind: Deployment, name: web, uid: 0b5c}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: reader
  ownerReferences:
  - {apiVersion: apps/v1, kind: Deployment, name: web, uid: 0b5c}
---
apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec: {schedule: '@daily', failedJobsHistoryLimit: 0}
`;

async function audited(flags: string) {
  const { code, stdout } = await gcHere(`audit --from ${file} -o json ${flags}`);
  const { verdict, items, unknown } = JSON.parse(stdout);
  return {
    code,
    verdict,
    items: items.map(
      ({
        rule,
        object,
        fix,
      }: {
        rule: string;
        object: { namespace: string; name: string };
        fix: unknown;
      }) => ({
        rule,
        object: `${object.namespace}/${object.name}`,
        fix,
      }),
    ),
    unknown: unknown.map(({ because }: { because: string }) => because),
  };
}

/** An owner that is only a manifest may live in the cluster: nothing is said to be missing. */
const found = (namespace: string) => ({
  verdict: 'incomplete',
  items: [
    {
      rule: 'namespaced-owner-of-cluster-object',
      object: '/reader',
      fix: {
        summary: `edit ${file}:13: remove the reference; let the owner delete it in a finalizer of its own`,
      },
    },
    {
      rule: 'cronjob-history-limit',
      object: `${namespace}/report`,
      fix: { summary: `edit ${file}:20: keep the last failed Job` },
    },
  ],
});

test.each(['', 'shop', 'other'])(
  '-n %j names a namespace for manifests, and changes no verdict',
  async (namespace) => {
    const flags = namespace === '' ? '' : `-n ${namespace}`;
    const { unknown, ...rest } = await audited(flags);
    expect({ ...rest, unknown: unknown.length }).toEqual({
      code: 3,
      ...found(namespace),
      unknown: 1,
    });
  },
);
