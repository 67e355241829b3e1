import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { GcError } from '../../../src/errors.ts';
import { parseScenario } from '../../../src/questions/simulate/scenario.ts';
import { rowsOf } from '../../support/rows.ts';

const head = { apiVersion: 'kubectl-gc/v1', kind: 'Scenario' };
const web = 'apiVersion: apps/v1, kind: Deployment, namespace: shop, name: web';

describe('a scenario', () => {
  test('may say nothing', () => {
    expect(parseScenario(head)).toEqual({
      settings: undefined,
      requests: [],
      start: undefined,
      duration: undefined,
    });
  });

  test('has settings, requests, a start and a duration', () => {
    const scenario = parse(
      `
      apiVersion: kubectl-gc/v1
      kind: Scenario
      settings: {controllers: [garbagecollector], kubelets: false}
      requests:
      - {verb: delete, WEB, propagationPolicy: Foreground, gracePeriodSeconds: 30, preconditions: {uid: u, resourceVersion: '7'}}
      - {verb: delete, WEB, orphanDependents: false, dryRun: [All], after: 1m30s}
      - {verb: deletecollection, apiVersion: v1, kind: Pod, labelSelector: app=web}
      - {verb: patch, WEB, patch: {metadata: {finalizers: null}}}
      - {verb: patch, WEB, patch: [], patchType: json, dryRun: All}
      - {verb: patch, WEB, removeFinalizers: [a/b]}
      - {verb: update, WEB, object: {metadata: {}}}
      - {verb: create, WEB, object: {metadata: {}}}
      start: after-requests
      duration: 10m
    `.replaceAll('WEB', web),
    );
    expect(parseScenario(scenario)).toEqual({
      settings: {
        controllers: ['garbagecollector'],
        kubelets: false,
        terminatedPodGCThreshold: 12_500,
      },
      requests: parse(
        `
        - {verb: delete, WEB, after: 0, options: {propagationPolicy: Foreground, gracePeriodSeconds: 30, preconditions: {uid: u, resourceVersion: '7'}}}
        - {verb: delete, WEB, after: 90000, options: {orphanDependents: false, dryRun: true}}
        - {verb: deletecollection, apiVersion: v1, kind: Pod, namespace: '', after: 0, labelSelector: app=web, options: {}}
        - {verb: patch, WEB, after: 0, patchType: merge, patch: {metadata: {finalizers: null}}, dryRun: false}
        - {verb: patch, WEB, after: 0, patchType: json, patch: [], dryRun: true}
        - {verb: patch, WEB, after: 0, patchType: remove-finalizers, patch: [a/b], dryRun: false}
        - {verb: update, WEB, after: 0, object: {metadata: {}}, dryRun: false}
        - {verb: create, WEB, after: 0, object: {metadata: {}}, dryRun: false}
      `.replaceAll('WEB', web),
      ),
      start: 'after-requests',
      duration: 600_000,
    });
  });

  const noScenarios: readonly unknown[] = [
    'delete',
    [],
    { kind: 'Scenario' },
    { ...head, kind: 'Scenarios' },
    { ...head, request: [] },
    { ...head, requests: {} },
    { ...head, requests: ['delete'] },
    { ...head, start: 'stopped' },
    { ...head, duration: 10 },
    { ...head, duration: '10' },
    { ...head, settings: { kubelets: 1 } },
  ];
  test('is refused where it is malformed, and the field is named', () => {
    const messages = noScenarios.map((document) => {
      try {
        parseScenario(document);
      } catch (error) {
        expect(error).toBeInstanceOf(GcError);
        expect(error).toMatchObject({ exitCode: 2 });
        return (error as GcError).message;
      }
      return 'read';
    });
    expect(messages.join('\n')).toMatchInlineSnapshot(`
      "the scenario cannot be played: it is "delete", not a mapping
      the scenario cannot be played: it is a list, not a mapping
      the scenario cannot be played: apiVersion is missing
      the scenario cannot be played: kind is "Scenarios", not Scenario
      the scenario cannot be played: request is not known here; known are apiVersion, kind, settings, requests, start, duration
      the scenario cannot be played: requests is a mapping, not a list
      the scenario cannot be played: requests[0] is "delete", not a mapping
      the scenario cannot be played: start is "stopped", not one of running, after-requests
      the scenario cannot be played: duration is 10, not a duration such as 30s, 10m or 1h30m
      the scenario cannot be played: duration is "10", not a duration such as 30s, 10m or 1h30m
      the scenario cannot be played: settings.kubelets is 1, not true or false"
    `);
  });

  const mistakes = rowsOf(`
    WEB                                       | requests[1].verb is missing
    verb: get, WEB                            | requests[1].verb is "get", not one of delete, deletecollection, patch
    verb: delete, kind: Deployment, apiVersion: apps/v1 | requests[1].name is missing
    verb: delete, apiVersion: v1, name: a, kind: '' | requests[1].kind is "", not a name
    verb: delete, apiVersion: v1, kind: Pod, name: 5 | requests[1].name is 5, not a name
    verb: delete, WEB, policy: Orphan         | requests[1].policy is not known here
    verb: delete, WEB, propagationPolicy: foreground
        | requests[1].propagationPolicy is "foreground", not one of Background, Foreground, Orphan
    verb: delete, WEB, gracePeriodSeconds: '30' | requests[1].gracePeriodSeconds is "30", not a whole number
    verb: delete, WEB, preconditions: {generation: 1} | requests[1].preconditions.generation is not known here
    verb: delete, WEB, orphanDependents: 'yes' | requests[1].orphanDependents is "yes", not true or false
    verb: delete, WEB, dryRun: [Some]         | requests[1].dryRun is a list, not All
    verb: delete, WEB, after: soon            | requests[1].after is "soon", not a duration
    verb: deletecollection, apiVersion: v1, kind: Pod, labelSelector: a in | requests[1].labelSelector is none:
    verb: patch, WEB                          | requests[1] has no patch
    verb: patch, WEB, patch: {}, patchType: apply | requests[1].patchType is "apply", not one of merge, strategic, json
    verb: patch, WEB, patch: {}, removeFinalizers: [] | requests[1] has removeFinalizers beside a patch
    verb: update, WEB, object: []             | requests[1].object is a list, not a mapping
  `);
  test.each(mistakes)('has the place of a mistake named: %s', (request = '', message = '') => {
    const requests = parse(`[{verb: delete, WEB}, {${request}}]`.replaceAll('WEB', web));
    const refuse = () => parseScenario({ ...head, requests });
    expect(refuse).toThrow(GcError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});
