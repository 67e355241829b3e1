import { describe, expect, test } from 'vitest';
import { FOREGROUND, ORPHAN } from '../../../src/kube/object-record.ts';
import { deletionFinalizers } from '../../../src/simulator/api-server/delete-object.ts';
import type { DeleteOptions } from '../../../src/simulator/api-server/request.ts';
import { builderOf, configMap, event, job } from '../../support/builders.ts';

const replicationController = builderOf('v1', 'ReplicationController');
const cronJob = builderOf('batch/v1', 'CronJob');
const x = 'example.com/x';
const y = 'example.com/y';

/** Each list on an object, and what a DELETE leaves: by Foreground, Background, Orphan, no policy, and no policy where orphaning is the default. */
const table: readonly (readonly [string[], string[], string[], string[], string[], string[]])[] = [
  [[], [FOREGROUND], [], [ORPHAN], [], [ORPHAN]],
  [[ORPHAN], [FOREGROUND], [], [ORPHAN], [ORPHAN], [ORPHAN]],
  [[FOREGROUND], [FOREGROUND], [], [ORPHAN], [FOREGROUND], [FOREGROUND]],
  [
    [x, ORPHAN, y],
    [x, y, FOREGROUND],
    [x, y],
    [x, ORPHAN, y],
    [x, ORPHAN, y],
    [x, ORPHAN, y],
  ],
  [
    [x, y],
    [x, y, FOREGROUND],
    [x, y],
    [x, y, ORPHAN],
    [x, y],
    [x, y, ORPHAN],
  ],
];

describe('finalizers that a DELETE leaves', () => {
  describe.each(table)('on %j', (before, foreground, background, orphan, none, byDefault) => {
    const record = configMap('web', { finalizers: before });
    test.each<[DeleteOptions, readonly string[]]>([
      [{ propagationPolicy: 'Foreground' }, foreground],
      [{ propagationPolicy: 'Background' }, background],
      [{ orphanDependents: false }, background],
      [{ propagationPolicy: 'Orphan' }, orphan],
      [{ orphanDependents: true }, orphan],
      [{}, none],
    ])('with %j', (options, after) => {
      expect(deletionFinalizers(record, options)).toEqual(after);
    });

    test.each([job, replicationController])(
      'without a policy where orphaning is the default',
      (build) => {
        expect(deletionFinalizers(build('web', { finalizers: before }), {})).toEqual(byDefault);
      },
    );
  });

  test('are those of a CronJob as of any other kind', () => {
    expect(deletionFinalizers(cronJob('nightly'), {})).toEqual([]);
  });

  test('never include one of the collector on an Event', () => {
    const record = event('e', { finalizers: [x] });
    expect(deletionFinalizers(record, { propagationPolicy: 'Foreground' })).toEqual([x]);
  });
});
