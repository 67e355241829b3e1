import { expect, test } from 'vitest';
import { fromFiles } from '../../src/files/from-files.ts';
import { plainRecord, StoredRecord } from '../../src/kube/records/stored-record.ts';
import { apiVersionOf } from '../../src/kube/resource-type.ts';
import * as questions from '../../src/library/questions.ts';
import type { Snapshot } from '../../src/snapshot/snapshot.ts';
import { stored } from '../support/stored.ts';

const inputs = ['shop.json.gz', 'stuck.yaml', 'leftovers.yaml', 'what-follows.yaml'];
const askedKinds = ['Namespace', 'Deployment', 'Database', 'Job'];

/** The same snapshot with records that have fields of their own, and with records in columns. */
async function bothWays(path: string): Promise<readonly [Snapshot, Snapshot]> {
  const now = () => new Date('2026-11-22T00:00:00Z');
  const read = await fromFiles([`examples/clusters/${path}`], { now, complete: true });
  const plain = { ...read, records: read.records.map(plainRecord) };
  return [plain, { ...read, records: stored(read.records) }];
}

test.each(inputs)(
  '%s gets the same answers from columns as from plain records',
  {
    timeout: 120_000,
  },
  async (path) => {
    const [plain, stored] = await bothWays(path);
    expect(stored.records.every((record) => record instanceof StoredRecord)).toBe(true);
    expect(questions.orphans(stored)).toEqual(questions.orphans(plain));
    expect(questions.audit(stored)).toEqual(questions.audit(plain));
    expect(questions.forecast(stored)).toEqual(questions.forecast(plain));
    const asked = plain.records
      .filter(({ type, uid }) => uid !== '' && askedKinds.includes(type.kind))
      .slice(0, 2)
      .map(({ type, namespace, name }) => ({
        apiVersion: apiVersionOf(type),
        kind: type.kind,
        name,
        ...(namespace !== '' && { namespace }),
      }));
    expect(asked.length).toBeGreaterThan(0);
    expect(questions.tree(stored, asked)).toEqual(questions.tree(plain, asked));
    expect(questions.owners(stored, asked)).toEqual(questions.owners(plain, asked));
    expect(questions.plan(stored, asked)).toEqual(questions.plan(plain, asked));
    expect(await questions.why(stored, asked)).toEqual(await questions.why(plain, asked));
    // A plan simulates, too; a large cluster takes its time.
    if (path.endsWith('.gz')) return;
    const requests = asked.map((object) => ({ verb: 'delete' as const, ...object }));
    expect(questions.simulate(stored, requests)).toEqual(questions.simulate(plain, requests));
  },
);
