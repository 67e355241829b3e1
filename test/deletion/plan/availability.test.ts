import { expect, test } from 'vitest';
import { availabilityOf } from '../../../src/deletion/plan/availability.ts';
import { objectsFrom } from '../../support/objects-from.ts';
import { rowsOf } from '../../support/rows.ts';

const ready = 'phase: Running, conditions: [{type: Ready, status: "True"}]';
const selects = 'selector: {matchLabels: {app: web}}';
const labels = 'labels: {app: web}';
const objects = objectsFrom(`
  web    | Deployment web   | {facts: {replicas: 2}}
  set    | ReplicaSet web-1 | {under: web, facts: {replicas: 2}}
  front  | Service front    | {facts: {${selects}}}
  none   | Service none     | {facts: {}}
  outer  | Service outer    | {facts: {serviceType: ExternalName, ${selects}}}
  budget | PodDisruptionBudget web | {facts: {podSelector: {matchLabels: {app: web}}, disruptionsAllowed: 1}}
  unread | PodDisruptionBudget unread
  data   | PersistentVolumeClaim data | {facts: {accessModes: [ReadWriteOnce]}}
  shared | PersistentVolumeClaim data | {facts: {accessModes: [ReadWriteOnce, ReadWriteMany]}}
  a      | Pod a | {under: set, ${labels}, facts: {${ready}, nodeName: n, volumes: [{name: d, claimName: data}]}}
  b      | Pod b | {under: set, ${labels}, facts: {${ready}}}
  late   | Pod b | {under: set, ${labels}, facts: {phase: Running}}
  ending | Pod b | {under: set, ${labels}, deleting: true, facts: {${ready}}}
  other  | Pod other | {${labels}, facts: {${ready}}}
`);

const rows = rowsOf(`
  no Pod is deleted                      | web; set; front; a           | front |
  one of two Pods is deleted             | web; set; front; budget; a; b | a     |
  all Pods of a workload are deleted     | web; set; a; b               | a; b  | Deployment web
  and one that is not ready stays        | web; set; front; a; late     | a     | Service front, Deployment web
  and one that is being deleted          | web; set; front; a; ending   | a     | Service front, Deployment web
  and another one has the labels         | web; set; front; a; other    | a     | Deployment web
  with the Service                       | web; set; front; a           | a; front | Deployment web
  with the workload                      | web; set; front; a           | a; set; web | Service front
  of a set that stays without Deployment | set; a                       | a     | ReplicaSet web-1
  no Pod was ready                       | web; set; front; late        | late  |
  no Service selects it                  | none; outer; other           | other |
  more than a budget allows              | budget; a; b; other          | a; b  | PodDisruptionBudget web 2 of 1
  a budget whose status was not read     | unread; a; b; other          | a; b  |
  a Pod whose claim one Node mounts      | data; a; b                   | a     | PersistentVolumeClaim data
  a Pod whose claim many Nodes mount     | shared; a; b                 | a     |
`);

test.each(rows)('%s', (_, there = '', deleted = '', ends) => {
  const going = new Set(objects(deleted).map(({ uid }) => uid));
  const found = availabilityOf(objects(there), ({ uid }) => going.has(uid));
  const told = [
    ...(found?.servicesWithoutEndpoint ?? []),
    ...(found?.workloadsAtZero ?? []),
    ...(found?.singleWriterClaims ?? []),
  ].map(({ kind, name }) => `${kind} ${name}`);
  const budgets = (found?.exceededBudgets ?? []).map(
    ({ object, deleted: count, disruptionsAllowed }) =>
      `${object.kind} ${object.name} ${count} of ${disruptionsAllowed}`,
  );
  expect([...told, ...budgets].join(', ')).toBe(ends);
});
