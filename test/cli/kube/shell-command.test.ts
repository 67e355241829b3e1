import { describe, expect, test } from 'vitest';
import {
  addressOf,
  inNamespace,
  nowhere,
  operands,
  printedCommand,
  type ShellCommand,
  shellCommand,
  shellWord,
} from '../../../src/kube/shell-command.ts';
import { argumentsIn, hostileNames } from '../../support/run-in-shell.ts';

const reader = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', namespace: 'shop' };

const text = (command: ShellCommand) => printedCommand(command, nowhere);

describe('a command for a shell', () => {
  test('leaves plain words as they are', () => {
    const role = { ...reader, name: 'reader' };
    expect(text(shellCommand`kubectl get ${addressOf(role)} -o ${'jsonpath=a'}`)).toBe(
      'kubectl get role.rbac.authorization.k8s.io/reader -n shop -o jsonpath=a',
    );
  });

  test('leaves no gap for an empty list', () => {
    const node = { apiVersion: 'v1', kind: 'Node', namespace: '', name: 'n1' };
    expect(text(shellCommand`kubectl get pods ${inNamespace(node)} ${[]} --all`)).toBe(
      'kubectl get pods --all',
    );
    expect(text(shellCommand`kubectl drain ${addressOf(node)} --force`)).toBe(
      'kubectl drain node/n1 --force',
    );
  });

  test.each([
    ['', "''"],
    ['web-1', 'web-1'],
    ['a b', "'a b'"],
    ["it's", "'it'\\''s'"],
    ['~', "'~'"],
    ['=ls', "'=ls'"],
    ['a=b', 'a=b'],
    ['a\u001b[', `"$(printf %b 'a\\0033\\0133')"`],
    ['a\n', `"$(printf %b 'a')"'\n'`],
  ])('writes %j as %s', (word, written) => {
    expect(shellWord(word)).toBe(written);
  });

  test.each(['sh', 'bash'])('has %s hand over hostile names as they are', (shell) => {
    const line = text(shellCommand`kubectl run ${hostileNames}`);
    expect(argumentsIn(line, shell)).toEqual(['run', ...hostileNames]);
  });

  test('has bash hand them over where history expansion is on, too', () => {
    const words = hostileNames.filter((name) => !name.includes('\n'));
    const line = `set -o history -o histexpand\n${text(shellCommand`kubectl run ${words}`)}`;
    expect(argumentsIn(line, 'bash')).toEqual(['run', ...words]);
  });

  test('tells arguments from flags', () => {
    expect(operands('-rf', 'b')).toEqual(['--', '-rf', 'b']);
    expect(operands('rf', '-b')).toEqual(['rf', '-b']);
  });

  test.each(hostileNames)('names an object %j', (name) => {
    const object = { ...reader, namespace: name, name };
    const line = text(shellCommand`kubectl delete ${addressOf(object)}`);
    expect(argumentsIn(line)).toEqual([
      'delete',
      `role.rbac.authorization.k8s.io/${name}`,
      '-n',
      name,
    ]);
  });
});
