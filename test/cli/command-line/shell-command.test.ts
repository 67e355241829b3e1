import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml } from 'yaml';
import {
  addressOf,
  inNamespace,
  nowhere,
  operands,
  printedCommand,
  type ShellCommand,
  shellCommand,
  shellWord,
} from '../../../src/command-line/shell-command.ts';
import { flowed, spelled } from '../../../src/output/fit-text.ts';
import { printable } from '../../../src/output/printable.ts';
import { renderYaml } from '../../../src/output/yaml.ts';
import { argumentsIn, hostileNames, shells } from '../../support/run-in-shell.ts';

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
    ['größe', "'größe'"],
    ['%self', "'%self'"],
    ['a\u001b[', `"$(printf %b 'a\\0033\\0133')"`],
    ['a\\b', `"$(printf %b 'a\\0134b')"`],
    ['role/a\u202eb c', `"$(printf %b 'role/a\\0342\\0200\\0256b c')"`],
    ['a\0b', `"$(printf %b 'a\\004500b')"`],
  ])('writes %j as %s', (word, written) => {
    expect(shellWord(word)).toBe(written);
  });

  test('writes a whole command by printf where a word ends with a line break', () => {
    expect(text(shellCommand`kubectl get ${'role/a\n'} -n shop`)).toBe(
      `eval "$(printf %b 'kubectl get \\0042\\0044\\0050printf \\0045b \\0047role/a\\0047\\0051\\0042\\0047\\0012\\0047 -n shop')"`,
    );
  });

  test.each(shells)('has %s hand over hostile names as they are', (shell) => {
    const inPlace = hostileNames.filter((name) => !name.endsWith('\n'));
    for (const names of [hostileNames, [...inPlace, '%self']]) {
      const line = text(shellCommand`kubectl run ${names}`);
      expect(argumentsIn(line, shell)).toEqual(['run', ...names]);
    }
  });

  test('contains nothing that a later step of printing changes', () => {
    const anyWord = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(...hostileNames, '\ud800'),
    );
    fc.assert(
      fc.property(fc.array(anyWord, { minLength: 1 }), (words) => {
        const line = text(shellCommand`kubectl run ${words}`);
        const look = { ascii: true, width: 40 };
        expect(flowed(spelled(printable(line), look), look)).toBe(line);
        expect(parseYaml(renderYaml([line]))).toEqual([line]);
      }),
    );
  });

  test.each(shells)('has %s hand over any word as it is', (shell) => {
    // No argument can hold NUL.
    const anyWord = fc.string({ unit: 'binary' }).map((word) => word.replaceAll('\0', ''));
    fc.assert(
      fc.property(fc.array(anyWord, { minLength: 1 }), (words) => {
        expect(argumentsIn(text(shellCommand`kubectl run ${words}`), shell)).toEqual([
          'run',
          ...words,
        ]);
      }),
      { numRuns: 20 },
    );
  });

  test('writes a name of 150,000 line breaks in no time', () => {
    const before = performance.now();
    shellWord(`${'\n'.repeat(150_000)}a`);
    expect(performance.now() - before).toBeLessThan(2000);
  });

  test('has bash hand them over where history expansion is on, too', () => {
    const words = hostileNames.filter((name) => !name.endsWith('\n'));
    const line = `set -o history -o histexpand\n${text(shellCommand`kubectl run ${words}`)}`;
    expect(argumentsIn(line, 'bash')).toEqual(['run', ...words]);
  });

  test('distinguishes arguments from flags', () => {
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
