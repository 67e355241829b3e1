import { describe, expect, test } from 'vitest';
import { GcError } from '../../src/errors.ts';
import { enabledControllers, isController } from '../../src/settings/enabled-controllers.ts';

const names = [
  'garbage-collector-controller',
  'namespace-controller',
  'pod-garbage-collector-controller',
  'token-cleaner-controller',
];

function enabled(...controllers: string[]): string[] {
  return names.filter(enabledControllers(controllers));
}

describe('--controllers of kube-controller-manager', () => {
  test.each([
    [[], []],
    [['*'], names.slice(0, 3)],
    [['garbage-collector-controller'], ['garbage-collector-controller']],
    [['garbagecollector'], ['garbage-collector-controller']],
    [
      ['*', '-podgc'],
      ['garbage-collector-controller', 'namespace-controller'],
    ],
    [['*', 'tokencleaner'], names],
    [
      ['-namespace', 'namespace', '*'],
      [names[0], names[2]],
    ],
    [['namespace', '-namespace'], ['namespace-controller']],
    [['-garbage-collector-controller'], []],
  ])('%j enables %j', (given, expected) => {
    expect(enabled(...given)).toEqual(expected);
  });

  test('the controller of tokens always runs, where any does: the others need it', () => {
    const runs = (...given: string[]) =>
      enabledControllers(given)('serviceaccount-token-controller');
    expect([runs('namespace'), runs('*', '-serviceaccount-token-controller'), runs()]).toEqual([
      true,
      true,
      false,
    ]);
  });

  test.each(['gc', '-gc', '', 'Garbage-Collector-Controller', '-*'])('refuses %j', (name) => {
    const refuse = () => enabledControllers(['*', name], 'settings.controllers');
    expect(refuse).toThrow(GcError);
    expect(refuse).toThrow(`settings.controllers[1]: "${name.replace(/^-/, '')}" is not a`);
  });
});

test.each(['evictionrequest-controller', 'imperative-eviction-responder-controller'])(
  '%s of v1.38 is known, so that a Pod whose flags name it ends no command',
  (name) => {
    expect(isController(name)).toBe(true);
    expect(enabledControllers(['*', `-${name}`])('garbage-collector-controller')).toBe(true);
  },
);
