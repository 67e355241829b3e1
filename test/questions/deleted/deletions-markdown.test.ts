import { expect, test } from 'vitest';
import { printedHere } from '../../support/run-here.ts';

test('a post-mortem has a timeline, and the objects of each group', async () => {
  const files =
    '--audit-log examples/audit/shop.log.gz --before examples/clusters/shop.json.gz --since 2026-11-21T14:53:00Z --until 2026-11-21T14:54:00Z';
  expect(await printedHere(`deleted -n shop ${files} -o markdown`, {})).toMatchInlineSnapshot(`
    "## What was deleted

    4 objects deleted, 2 causes.

    Requests from 2026-11-21T14:52:20Z to 2026-11-21T14:56:42Z.

    | when | by | namespace | began with | deleted | remain | backup | reason |
    | --- | --- | --- | --- | --- | --- | --- | --- |
    | 2026-11-21T14:53:18.000Z | system:serviceaccount:kube-system:pod-garbage-collector | shop | Pod/stock-import | 1 Pod |  |  | pod-garbage-collector-controller deletes Pods of a Node that does not exist or is out of service, and ended Pods above the threshold |
    | 2026-11-21T14:53:19.000Z | alice\\@example.com | shop | Deployment/recommendations | 1 Deployment, 1 Pod, 1 ReplicaSet |  |  | deleted by this request |

    ### With Deployment shop/recommendations

    | namespace | object | state | certainty | backup |
    | --- | --- | --- | --- | --- |
    | shop | Deployment/recommendations | unknown | seen |  |
    | shop | Pod/recommendations-575c7ff47-dkqnm | unknown | seen |  |
    | shop | ReplicaSet/recommendations-575c7ff47 | unknown | seen |  |
    "
  `);
});
