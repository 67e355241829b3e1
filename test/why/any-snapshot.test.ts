import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBeingDeleted } from '../../src/kube/object-record.ts';
import { diagnosisReport } from '../../src/questions/why/document.ts';
import { answerFromSnapshot } from '../../src/why/answer-from-snapshot.ts';
import { diagnose } from '../../src/why/diagnose.ts';
import { investigate } from '../../src/why/investigate.ts';
import { asPublished } from '../contract/valid-document.ts';
import { anySnapshot } from '../support/any-snapshot.ts';

test('whatever the cluster, every object has an answer, and the document is as published', async () => {
  await fc.assert(
    fc.asyncProperty(anySnapshot(), async (snapshot) => {
      const { types, records } = snapshot;
      const { finding } = await investigate(
        {
          types,
          serverVersion: undefined,
          origin: 'files',
          isCurrent: false,
          now: Date.parse(snapshot.observedAt),
        },
        (inquiry) => records.map((record) => diagnose(inquiry, record)),
        answerFromSnapshot(snapshot),
      );
      const explained = finding.map((chain) => ({ chain }));
      const report = diagnosisReport(explained, []);
      asPublished('why', report);
      // `--gc` refuses plain files.
      expect(JSON.stringify(report)).not.toContain('why --gc');
      const deleted = records.map(isBeingDeleted);
      const states = finding.map(({ state, cause }) => state !== 'holds' && cause !== 'unowned');
      // What is being deleted is never called alive.
      expect(deleted.filter((one, index) => one && !states[index])).toEqual([]);
    }),
    { numRuns: 60 },
  );
});
