import { describe, expect, test } from 'vitest';
import { GcError } from '../../src/errors.ts';
import { parseScenario } from '../../src/simulator/scenario.ts';

const head = { apiVersion: 'kubectl-gc/v1', kind: 'Scenario' };
const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const address = { ...web, after: 0 };

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
    const scenario = {
      ...head,
      settings: { controllers: ['garbagecollector'], kubelets: false },
      requests: [
        {
          verb: 'delete',
          ...web,
          propagationPolicy: 'Foreground',
          gracePeriodSeconds: 30,
          preconditions: { uid: 'u', resourceVersion: '7' },
        },
        { verb: 'delete', ...web, orphanDependents: false, dryRun: ['All'], after: '1m30s' },
        { verb: 'deletecollection', apiVersion: 'v1', kind: 'Pod', labelSelector: 'app=web' },
        { verb: 'patch', ...web, patch: { metadata: { finalizers: null } } },
        { verb: 'patch', ...web, patch: [], patchType: 'json', dryRun: 'All' },
        { verb: 'patch', ...web, removeFinalizers: ['a/b'] },
        { verb: 'update', ...web, object: { metadata: {} } },
        { verb: 'create', ...web, object: { metadata: {} } },
      ],
      start: 'after-requests',
      duration: '10m',
    };
    expect(parseScenario(scenario)).toEqual({
      settings: {
        controllers: ['garbagecollector'],
        kubelets: false,
        terminatedPodGCThreshold: 12_500,
      },
      requests: [
        {
          verb: 'delete',
          ...address,
          options: {
            propagationPolicy: 'Foreground',
            gracePeriodSeconds: 30,
            preconditions: { uid: 'u', resourceVersion: '7' },
          },
        },
        {
          verb: 'delete',
          ...address,
          after: 90_000,
          options: { orphanDependents: false, dryRun: true },
        },
        {
          verb: 'deletecollection',
          apiVersion: 'v1',
          kind: 'Pod',
          namespace: '',
          after: 0,
          labelSelector: 'app=web',
          options: {},
        },
        {
          verb: 'patch',
          ...address,
          patchType: 'merge',
          patch: { metadata: { finalizers: null } },
          dryRun: false,
        },
        { verb: 'patch', ...address, patchType: 'json', patch: [], dryRun: true },
        {
          verb: 'patch',
          ...address,
          patchType: 'remove-finalizers',
          patch: ['a/b'],
          dryRun: false,
        },
        { verb: 'update', ...address, object: { metadata: {} }, dryRun: false },
        { verb: 'create', ...address, object: { metadata: {} }, dryRun: false },
      ],
      start: 'after-requests',
      duration: 600_000,
    });
  });

  test.each([
    ['delete', 'it is "delete", not a mapping'],
    [[], 'it is a list, not a mapping'],
    [{ kind: 'Scenario' }, 'apiVersion is missing'],
    [{ ...head, kind: 'Scenarios' }, 'kind is "Scenarios", not Scenario'],
    [{ ...head, request: [] }, 'request is not known here'],
    [{ ...head, requests: {} }, 'requests is a mapping, not a list'],
    [{ ...head, requests: ['delete'] }, 'requests[0] is "delete", not a mapping'],
    [{ ...head, start: 'stopped' }, 'start is "stopped", not one of running, after-requests'],
    [{ ...head, duration: 10 }, 'duration is 10, not a duration such as 30s'],
    [{ ...head, duration: '10' }, 'duration is "10", not a duration such as 30s'],
    [{ ...head, settings: { kubelets: 1 } }, 'settings.kubelets is 1, not true or false'],
  ])('is refused when it is %j', (document, message) => {
    const refuse = () => parseScenario(document);
    expect(refuse).toThrow(GcError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  test.each([
    [{ ...web }, 'requests[1].verb is missing'],
    [
      { verb: 'get', ...web },
      'requests[1].verb is "get", not one of delete, deletecollection, patch',
    ],
    [{ verb: 'delete', ...web, name: undefined }, 'requests[1].name is missing'],
    [{ verb: 'delete', ...web, kind: '' }, 'requests[1].kind is "", not a name'],
    [{ verb: 'delete', ...web, name: 5 }, 'requests[1].name is 5, not a name'],
    [{ verb: 'delete', ...web, policy: 'Orphan' }, 'requests[1].policy is not known here'],
    [
      { verb: 'delete', ...web, propagationPolicy: 'foreground' },
      'requests[1].propagationPolicy is "foreground", not one of Background, Foreground, Orphan',
    ],
    [
      { verb: 'delete', ...web, gracePeriodSeconds: '30' },
      'requests[1].gracePeriodSeconds is "30", not a whole number',
    ],
    [
      { verb: 'delete', ...web, preconditions: { generation: 1 } },
      'requests[1].preconditions.generation is not known here',
    ],
    [
      { verb: 'delete', ...web, orphanDependents: 'yes' },
      'requests[1].orphanDependents is "yes", not true or false',
    ],
    [{ verb: 'delete', ...web, dryRun: ['Some'] }, 'requests[1].dryRun is a list, not All'],
    [{ verb: 'delete', ...web, after: 'soon' }, 'requests[1].after is "soon", not a duration'],
    [
      { verb: 'deletecollection', apiVersion: 'v1', kind: 'Pod', labelSelector: 'a in' },
      'requests[1].labelSelector is none: ',
    ],
    [{ verb: 'patch', ...web }, 'requests[1] has no patch'],
    [
      { verb: 'patch', ...web, patch: {}, patchType: 'apply' },
      'requests[1].patchType is "apply", not one of merge, strategic, json',
    ],
    [
      { verb: 'patch', ...web, patch: {}, removeFinalizers: [] },
      'requests[1] has removeFinalizers beside a patch',
    ],
    [{ verb: 'update', ...web, object: [] }, 'requests[1].object is a list, not a mapping'],
  ])('has the place of a mistake named: %j', (request, message) => {
    const requests = [{ verb: 'delete', ...web }, request];
    const refuse = () => parseScenario({ ...head, requests });
    expect(refuse).toThrow(GcError);
    expect(refuse).toThrow(message);
    expect(refuse).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});
