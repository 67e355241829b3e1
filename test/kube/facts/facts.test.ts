import { describe, expect, test } from 'vitest';
import { builtInTypes } from '../../../src/kube/built-in-types.ts';
import { objectOf, recordOf } from '../../../src/kube/record-codec.ts';
import type { ResourceType } from '../../../src/kube/resource-type.ts';
import { objectsWithFacts } from '../../support/objects-with-facts.ts';

function typeOf(apiVersion: string, kind: string): ResourceType {
  const type = builtInTypes.find(
    (known) =>
      known.kind === kind && apiVersion === [known.group, known.version].filter(Boolean).join('/'),
  );
  if (!type) throw new Error(`${apiVersion} ${kind} is not built in`);
  return type;
}

describe.each(objectsWithFacts)('$object.kind: $what', ({ object, facts }) => {
  const type = typeOf(object.apiVersion, object.kind);
  const record = recordOf(object, type);

  test('its facts are kept', () => {
    expect(record.facts).toEqual(facts);
  });

  test('they are printed where they were read, and read again they are the same', () => {
    const printed = JSON.parse(JSON.stringify(objectOf(record)));
    expect(recordOf(printed, type)).toEqual(record);
    expect(objectOf(recordOf(printed, type))).toEqual(printed);
  });

  test('nothing private is kept', () => {
    expect(JSON.stringify([record, objectOf(record)])).not.toMatch(/hush|aHVza/);
  });
});
