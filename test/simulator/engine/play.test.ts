import { expect, test } from 'vitest';
import { enabledControllers } from '../../../src/settings/enabled-controllers.ts';
import type { SimulatedRequest } from '../../../src/simulator/api-server/request.ts';
import { play } from '../../../src/simulator/engine/play.ts';
import { canonicalSchedule } from '../../../src/simulator/engine/schedule.ts';
import {
  recordingTimeline,
  type Step,
  spelledStep,
} from '../../../src/simulator/engine/timeline.ts';
import type { SimulationInput } from '../../../src/simulator/simulation-input.ts';
import { builderOf, configMap, node, ownedByGone, pod, secret } from '../../support/builders.ts';
import { remove } from '../play-out.ts';
import { inputOf } from './simulation-input.ts';

const deleting = 'background';
const namespaceFacts = { specFinalizers: ['kubernetes'] };
const bank = builderOf('v1', 'Namespace')('bank', { deleting, facts: namespaceFacts });
const inside = secret('inside', { namespace: 'bank' });
const orphan = configMap('orphan', { ownerReferences: [ownedByGone('v1 ConfigMap gone')] });
const worker = node('worker', { facts: { conditions: [{ type: 'Ready', status: 'True' }] } });
const bound = { deleting, deletionGracePeriodSeconds: 30, facts: { nodeName: 'worker' } } as const;
const records = [bank, inside, orphan, worker, pod('stopping', bound)];

function played(requests: readonly SimulatedRequest[], changes: Partial<SimulationInput>) {
  const steps: Step[] = [];
  const input = inputOf(records, requests, changes);
  const { context, ended, replies } = play(input, canonicalSchedule, (now) =>
    recordingTimeline(now, { push: (step) => steps.push(spelledStep(step)) }),
  );
  const left = new Set([...context.state.all()].map(({ uid }) => uid));
  return {
    gone: records.filter(({ uid }) => !left.has(uid)).map(({ name }) => name),
    ended,
    codes: replies.map(({ code }) => code),
    told: steps.map(({ at, actor, object }) => `${at.slice(14)} ${actor} ${object.name}`),
  };
}

test.each<[string, readonly string[], boolean, readonly string[]]>([
  ['nobody: all stays', [], false, []],
  ['kubelets: their pods stop', [], true, ['stopping']],
  ['the garbage collector', ['garbage-collector-controller'], false, ['orphan']],
  ['the namespace controller', ['namespace-controller'], false, ['bank', 'inside']],
])('runs %s among possible programs', (_, controllers, kubelets, gone) => {
  const changes = { isEnabled: enabledControllers(controllers), kubelets };
  expect(played([], changes)).toMatchObject({ gone, ended: 'quiet' });
});

test('requests find what running controllers have left, or come before these start', () => {
  const isEnabled = enabledControllers(['garbage-collector-controller']);
  const codes = (start: SimulationInput['start']) =>
    played([remove(orphan)], { isEnabled, start }).codes;
  expect([codes('running'), codes('after-requests')]).toEqual([[404], [200]]);
  expect(played([remove(inside)], { isEnabled, start: 'after-requests' }).gone).toEqual([
    'inside',
    'orphan',
  ]);
});

test('each request is sent with its delay after the answer to the one before, until the simulation ends', () => {
  const requests = [orphan, inside].map((record) => remove(record, undefined, { after: 5000 }));
  const told = ['00:05.001Z user orphan', '00:10.003Z user inside'];
  expect(played(requests, {})).toMatchObject({ ended: 'quiet', codes: [200, 200], told });
  const late = { gone: ['orphan'], ended: 'deadline', codes: [200] };
  expect(played(requests, { duration: 7000 })).toMatchObject(late);
});
